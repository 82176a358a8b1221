#pragma once

#include <stdexcept>
#include <string>

#include <stowage/contract/errors.hpp>

// What load() throws of a file that it does not take. The storage is as it was then.
namespace stowage {

/// Any of the errors below.
class LoadError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// These bytes are no stowage file, or one that has gone through a conversion of line ends.
class NotAStowageFile : public LoadError {
  using LoadError::LoadError;
};

/// The file is of a format that this library does not know.
class UnknownFormatVersion : public LoadError {
  using LoadError::LoadError;
};

/// There are fewer bytes, or more, than the file says of itself.
class WrongFileSize : public LoadError {
  using LoadError::LoadError;
};

/// A checksum is not that of the bytes: the file was damaged.
class DamagedFile : public LoadError {
  using LoadError::LoadError;
};

/// The file contradicts itself, though its checksums are right: a program wrote it that is wrong, or means ill.
class MalformedFile : public LoadError {
  using LoadError::LoadError;
};

/// An entity is in the file twice, or has a component twice.
class DuplicateEntity : public MalformedFile {
  using MalformedFile::MalformedFile;
};

/// A component refers to an entity that is not in the file.
class DanglingReference : public MalformedFile {
  using MalformedFile::MalformedFile;
};

/// A component was written by a program to which it had another size, version or codec.
class ComponentMismatch : public LoadError {
  using LoadError::LoadError;
};

}  // namespace stowage
