"""What goes wrong outside this package, told in one line and with the exit code that scripts rely on."""


class ReportError(Exception):
    exit_code = 1


class UserError(ReportError):
    """The input is wrong: a directory, a file, an argument."""

    exit_code = 2


class MissingError(ReportError):
    """This machine lacks something that a report needs."""

    exit_code = 3
