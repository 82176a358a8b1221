// The recorder of a running game: its profile has the world's figures, however the game behaves or ends.
#include <stowage/record/storage_look.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include <stowage/archetype_sections_enable_bits.hpp>
#include <stowage/indirection_map.hpp>

#include "harness/recommend/profile/profile.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/random.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;
using record::optionally;
using record::reads;
using record::Recorder;
using record::without;
using record::writes;

struct Position {
  float x, y, z;
};
struct Velocity {
  float x, y;
};
struct Mass {
  float value;
};
struct Burning {
  int frames_left;
};
struct Enemy {};

/// An ECS of a game that the header knows nothing about.
struct World {
  struct Entity {
    std::uint64_t handle = 0;
    record::Set set;
    std::optional<std::size_t> parent;
  };
  std::map<std::size_t, Entity> entities;
  std::uint64_t last_handle = 0;

  void create(std::size_t index, const std::vector<std::size_t>& components) {
    Entity entity{.handle = ++last_handle, .set = {}, .parent = {}};
    for (const std::size_t component : components) entity.set.set(component);
    entities[index] = entity;
  }
  [[nodiscard]] Recorder::Look look() const {
    return [this](Recorder& recorder) {
      for (const auto& [index, entity] : entities) {
        recorder.entity(index, entity.handle);
        if (entity.parent) recorder.child_of(index, *entity.parent);
        for (std::size_t component = 0; component < record::most_components; ++component) {
          if (entity.set.test(component)) recorder.has(index, component);
        }
      }
    };
  }
};

/// A directory for the profile, and the profile that is in it afterwards.
class Recording {
 public:
  [[nodiscard]] record::Options options(std::size_t frames = 1000) const {
    return {.file = file(), .name = "game", .frames = frames, .frames_per_second = 50, .overhead = 1};
  }
  [[nodiscard]] fs::path file() const { return directory_.path() / "game.toml"; }
  [[nodiscard]] Profile profile() const { return read_profile(file()); }
  [[nodiscard]] std::string text() const { return system_text(file()); }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator());
  }

 private:
  TemporaryDirectory directory_;
};

const ProfileComponent& component(const Profile& profile, const std::string& name) {
  const auto found = std::ranges::find(profile.components, name, &ProfileComponent::name);
  REQUIRE(found != profile.components.end());
  return *found;
}
using Names = std::vector<std::string>;
Names names(const Profile& profile, const std::vector<std::size_t>& components) {
  return names_of(components, [&](std::size_t place) { return profile.components[place].name; });
}
const ProfileKind& kind_of(const Profile& profile, const Names& wanted) {
  const auto found = std::ranges::find(profile.kinds, wanted,
                                       [&](const ProfileKind& kind) { return names(profile, kind.components); });
  REQUIRE(found != profile.kinds.end());
  return *found;
}

enum Known : std::size_t { position, velocity, mass, burning, enemy };
/// Knows the components by their types.
struct NamingRecorder : Recorder {
  NamingRecorder(const record::Options& options, Look look) : Recorder(options, std::move(look)) {
    components<Position, Velocity, Mass, Burning, Enemy>();
  }
};

/// 200 entities: all have Position; 50 Velocity and Mass, of which 20 are enemies; and 40 others burn.
World known_world() {
  World world;
  for (std::size_t index = 0; index < 200; ++index) {
    if (index < 20)
      world.create(index, {position, velocity, mass, enemy});
    else if (index < 50)
      world.create(index, {position, velocity, mass});
    else if (index < 90)
      world.create(index, {position, burning});
    else
      world.create(index, {position});
  }
  return world;
}

void play(Recorder& recorder, std::size_t frames) {
  for (std::size_t frame = 0; frame < frames; ++frame) recorder.frame();
}

/// What is recorded of so many frames of a world, in which the game does `play(recorder, frame)`.
Profile recorded(
    const World& world, std::size_t frames,
    const std::function<void(Recorder&, std::size_t)>& play = [](Recorder&, std::size_t) {}) {
  const Recording recording;
  NamingRecorder recorder(recording.options(frames), world.look());
  for (std::size_t frame = 0; frame < frames; ++frame) {
    play(recorder, frame);
    recorder.frame();
  }
  return recording.profile();
}

TEST_CASE("a recorded profile has the figures of the world") {
  World world = known_world();
  const Recording recording;
  NamingRecorder recorder(recording.options(101), world.look());
  for (std::size_t frame = 0; frame < 101; ++frame) {
    recorder.system("move", reads<Velocity>, writes<Position>, without<Burning>, optionally<Mass>);
    if (frame % 4 == 0) recorder.system("think", reads<Enemy, Position>);
    recorder.lookups(7, reads<Position>, writes<Mass>);
    world.entities[50 + frame % 40].set.flip(burning);  // one a frame: in 40 frames all go out, in 40 others all burn
    world.create(190 + frame % 10, {position});         // in place of another
    recorder.frame();
  }
  const Profile profile = recording.profile();
  CHECK(profile.name == "game");
  CHECK(profile.entities == 200);
  CHECK(profile.frames_per_second == 50);
  REQUIRE(profile.components.size() == 5);
  CHECK(component(profile, "Position").bytes == sizeof(Position));
  CHECK(component(profile, "Position").share == 1);
  CHECK(component(profile, "Velocity").bytes == sizeof(Velocity));
  CHECK(component(profile, "Velocity").share == 0.25);
  CHECK_FALSE(component(profile, "Velocity").together.empty());
  CHECK(component(profile, "Velocity").together == component(profile, "Mass").together);
  CHECK(component(profile, "Enemy").bytes == 0);
  CHECK(component(profile, "Enemy").share == 0.1);
  CHECK(component(profile, "Enemy").together.empty());
  CHECK(component(profile, "Burning").share == Approx(0.1).margin(0.01));
  CHECK(profile.kinds.size() == 4);
  CHECK(kind_of(profile, {"Position", "Velocity", "Mass", "Enemy"}).count == 20);
  CHECK(kind_of(profile, {"Position", "Velocity", "Mass"}).count == 30);
  CHECK(kind_of(profile, {"Position", "Velocity", "Mass"}).created_per_frame == 0);
  CHECK(kind_of(profile, {"Position"}).created_per_frame == 1);

  REQUIRE(profile.systems.size() == 2);
  const ProfileSystem& move = profile.systems[0];
  CHECK(move.name == "move");
  CHECK(names(profile, move.reads) == Names{"Velocity"});
  CHECK(names(profile, move.writes) == Names{"Position"});
  CHECK(names(profile, move.without) == Names{"Burning"});
  CHECK(names(profile, move.optional) == Names{"Mass"});
  CHECK(move.runs_per_frame == 1);
  CHECK(names(profile, profile.systems[1].reads) == Names{"Position", "Enemy"});
  CHECK(profile.systems[1].runs_per_frame == Approx(26.0 / 101).epsilon(1e-3));

  REQUIRE(profile.lookups.size() == 1);
  CHECK(profile.lookups[0].per_frame == 7);
  CHECK(names(profile, profile.lookups[0].reads) == Names{"Position"});
  CHECK(names(profile, profile.lookups[0].writes) == Names{"Mass"});

  REQUIRE(profile.changes.size() == 1);
  CHECK(names(profile, {profile.changes[0].component}) == Names{"Burning"});
  CHECK(profile.changes[0].per_frame == 0.5);  // as many would come as go
  CHECK(component(profile, "Burning").toggled_per_frame == 0);
  CHECK(profile.creations_per_frame == 1);
  CHECK_FALSE(profile.hierarchy);
  CHECK(recorder.seen().looks == 101);
  CHECK(recorder.seen().pairs == 100);
}

TEST_CASE("a recording has the times of the frame and of timed systems, and what tells machines apart") {
  const World world = known_world();
  const Recording recording;
  {
    record::Options options = recording.options();
    options.storage = "naive_objects";
    NamingRecorder recorder(options, world.look());
    for (std::size_t frame = 0; frame < 20; ++frame) {
      {
        const auto timed = recorder.timed_system("move", reads<Velocity>, writes<Position>);
        for (const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 500; std::clock() < end;) {
        }
      }
      recorder.system("think", reads<Enemy>);
      recorder.frame();
    }
    recorder.finish();
    const auto late = recorder.timed_system("late", reads<Enemy>);  // counts for nothing
  }
  const Profile profile = recording.profile();
  CHECK(profile.recorded.storage == "naive_objects");
  REQUIRE(profile.systems.size() == 2);
  REQUIRE(profile.systems[0].ms);
  CHECK(*profile.systems[0].ms > 1.9);
  CHECK(profile.recorded.frame_ms >= *profile.systems[0].ms);
  CHECK_FALSE(profile.systems[1].ms);
  CHECK(profile.recorded.yardstick_ms > 0.1);
  CHECK(profile.recorded.is_debug_build != record::is_optimized);
}

TEST_CASE("systems that run beside each other may take longer than the frame, which then is their sum") {
  World world = known_world();
  const Recording recording;
  std::vector<std::size_t> systems;
  NamingRecorder recorder(recording.options(3), [&, look = world.look()](Recorder& at) {
    look(at);
    at.stores_in("flecs");
    while (systems.size() < 2) {
      record::Use use;
      use.reads.set(position);
      systems.push_back(at.add_system("move", use));
    }
    for (const std::size_t system : systems) {
      at.ran(system);
      at.took(system, 0.03 * static_cast<double>(at.seen().frames - 1));
    }
  });
  play(recorder, 3);
  const Profile profile = recording.profile();
  CHECK(profile.recorded.storage == "flecs");
  CHECK(profile.recorded.frame_ms == Approx(60));
  for (const ProfileSystem& system : profile.systems) CHECK(system.ms == Approx(30));
}

/// Its clocks go only when the test says so.
struct ClockedRecorder : NamingRecorder {
  ClockedRecorder(const record::Options& options, Look look) : NamingRecorder(options, std::move(look)) {
    now_ = [] { return set; };
  }
  static void pass(double wall_ms, double processor_ms) {
    set = {.processor_s = set.processor_s + processor_ms / 1e3, .wall_s = set.wall_s + wall_ms / 1e3};
  }
  static inline Moment set;
};

TEST_CASE("the time of a frame leaves out looks on both clocks, whatever other threads do meanwhile") {
  const World world = known_world();
  const Recording recording;
  const auto [wall_ms, processor_ms, look_processor_ms, frame_ms] = GENERATE(table<double, double, double, double>({
      {5, 5, 2, 5},      // one thread
      {5, 40, 16, 5},    // eight busy threads
      {16, 5, 2, 5},     // one thread that waits for the display
      {16, 40, 16, 16},  // eight threads that wait
  }));
  ClockedRecorder recorder(recording.options(10), [look = world.look(), look_ms = look_processor_ms](Recorder& at) {
    look(at);
    ClockedRecorder::pass(2, look_ms);
  });
  for (std::size_t frame = 0; frame < 10; ++frame) {
    ClockedRecorder::pass(wall_ms, processor_ms);
    recorder.frame();
  }
  CHECK(recording.profile().recorded.frame_ms == Approx(frame_ms));
}

TEST_CASE("states are toggled") {
  World world = known_world();
  const Profile profile = recorded(world, 10, [&](Recorder& recorder, std::size_t frame) {
    if (frame == 0) recorder.states<Burning>();
    world.entities[50 + frame].set.reset(burning);
    world.entities[100 + frame].set.set(burning);
  });
  CHECK(component(profile, "Burning").toggled_per_frame == 1);
  CHECK(profile.changes.size() == 1);  // the same one
}

TEST_CASE("a hierarchy has the shape that was seen") {
  World world;
  for (std::size_t index = 0; index < 100; ++index) world.create(index, {position});
  for (std::size_t root = 0; root < 70; root += 7) {  // ten trees of 1 + 2 + 4
    for (std::size_t child = 1; child < 7; ++child) world.entities[root + child].parent = root + (child - 1) / 2;
  }
  const Profile profile = recorded(world, 2);
  REQUIRE(profile.hierarchy);
  CHECK(profile.hierarchy->share == 0.7);
  CHECK(profile.hierarchy->depth == 3);
  CHECK(profile.hierarchy->dirty_share == 1);
  REQUIRE(profile.kinds.size() == 4);  // of one set: what is in no tree, and a kind for each level
  std::map<std::size_t, std::vector<double>> children;
  for (const ProfileKind& kind : profile.kinds) {
    for (const ProfileKind::Children& below : kind.children) children[kind.count].push_back(below.count);
  }
  CHECK(children == std::map<std::size_t, std::vector<double>>{{10, {2}}, {20, {2}}});
}

TEST_CASE("what is created with its parent is no creation of its own") {
  World world;
  for (std::size_t index = 0; index < 30; index += 3) {
    world.create(index, {position});
    for (const std::size_t child : {index + 1, index + 2}) {
      world.create(child, {position, mass});
      world.entities[child].parent = index;
    }
  }
  const Profile profile = recorded(world, 9, [&](Recorder&, std::size_t frame) {
    // a whole family, and one of those that hang on another, alone
    for (const std::size_t index : {0, 1, 2, 5}) world.entities[index].handle = 1000 + frame;
  });
  REQUIRE(profile.kinds.size() == 2);
  CHECK(profile.kinds[0].count == 10);
  CHECK(profile.kinds[0].created_per_frame == 1);
  CHECK(profile.kinds[0].children.at(0).count == 2);
  CHECK(profile.kinds[1].count == 20);
  CHECK(profile.kinds[1].created_per_frame == 1);
  CHECK(profile.creations_per_frame == 1 * 3 + 1);
}

TEST_CASE("rare sets of components are counted with the kind that is most like them, and that is said") {
  World world;
  for (std::size_t index = 0; index < 2000; ++index) {
    world.create(index, {0});
    for (std::size_t bit = 0; bit < 10; ++bit) {
      if (index % 1000 >> bit & 1) world.entities[index].set.set(bit + 1);
    }
  }
  const Recording recording;
  Recorder recorder(recording.options(2), world.look());
  for (std::size_t number = 0; number < 11; ++number) recorder.component("game.C" + std::to_string(number), 4);
  play(recorder, 2);
  const Profile profile = recording.profile();
  CHECK(profile.entities == 2000);
  CHECK(profile.kinds.size() == 500);
  CHECK_THAT(recording.text(), ContainsSubstring("500 rare sets of components, of 1000 entities"));
}

TEST_CASE("what a game does not say is guessed, and the profile says so") {
  World world;
  for (std::size_t index = 0; index < 10; ++index) world.create(index, {0, 1});
  const Recording recording;
  Recorder recorder(recording.options(2), world.look());
  recorder.component("game.Position");
  recorder.component("game.Name<a::b>", 8);
  play(recorder, 2);
  const Profile profile = recording.profile();
  CHECK(component(profile, "Position").bytes > 0);
  CHECK(component(profile, "Name").bytes == 8);
  REQUIRE(profile.systems.size() == 1);
  CHECK(profile.systems[0].reads.size() == 2);
  CHECK_THAT(recording.text(), ContainsSubstring("guessed"));
}

TEST_CASE("components with one symbol are told apart by their ids, and named ones from types") {
  const Recording recording;
  const std::string symbol = record::detail::symbol_of<Position>();
  Recorder recorder(recording.options(2), [&](Recorder& look) {
    for (std::size_t index = 0; index < 10; ++index) {
      look.entity(index, 1);
      look.has(index, look.component_of(7, symbol));
      if (index < 4) look.has(index, look.component_of(8, symbol));
      if (index < 2) look.has(index, look.component_of(7, "not asked for"));
      if (index < 3) look.has(index, *look.named([](const std::string& name) { return name == "Position"; }));
    }
  });
  recorder.components<Position, record::Named<"Position", Mass>>();
  play(recorder, 2);
  const Profile profile = recording.profile();
  REQUIRE(profile.components.size() == 3);
  CHECK(component(profile, "Position").share == 1);
  CHECK(component(profile, "Position").bytes == sizeof(Position));
  CHECK(component(profile, "Position_2").share == 0.3);
  CHECK(component(profile, "Position_2").bytes == sizeof(Mass));
  CHECK(component(profile, "Position_3").share == 0.4);
}

TEST_CASE("the name that MSVC and EnTT give to a type is its symbol") {
  CHECK(record::detail::dotted("struct game::Position") == "game.Position");
  CHECK(record::detail::dotted("class game::Position") == "game.Position");
  CHECK(record::detail::dotted("enum game::Team") == "game.Team");
  CHECK(record::detail::dotted("game::structure") == "game.structure");
}

template <class T>
struct Slot {};

TEST_CASE("no two types, and no two systems, are taken for one") {
  const World world = known_world();
  const Profile profile = recorded(world, 2, [](Recorder& recorder, std::size_t) {
    recorder.components<Slot<int[3]>, Slot<int[3][4]>, Slot<Slot<int[3]>>>();
    CHECK(recorder.seen().components.size() == 5 + 3);
    recorder.system("update", writes<Position>);
    recorder.system("update", writes<Mass>);
  });
  REQUIRE(profile.systems.size() == 2);
  CHECK(names(profile, profile.systems[0].writes) == Names{"Position"});
  CHECK(names(profile, profile.systems[1].writes) == Names{"Mass"});
  CHECK(profile.systems[1].runs_per_frame == 1);
}

TEST_CASE("no name breaks the profile, with bytes that are no UTF-8 or blanks before it either") {
  World world = known_world();
  const Recording recording;
  record::Options options = recording.options(2);
  const auto [name, recorded] = GENERATE(table<std::string, std::string>({
      {std::string(99, 'n') + "\xC3\xA9", std::string(99, 'n')},  // the 100th byte is the first of a letter
      {std::string(100, ' ') + "\x01\xFFname \xC3\xA9", "?name \xC3\xA9"},
  }));
  options.name = name;
  NamingRecorder recorder(options, world.look());
  for (const char* bad :
       {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80", "cut \xE2\x82"}) {
    recorder.system(bad, reads<record::Named<"none">>);
  }
  recorder.component("rare\n[budget]\nframe_ms = 1");
  recorder.system("idle\n[budget]\nframe_ms = 1", reads<record::Named<"none\n[saves]">>);
  world.create(500, {5});
  play(recorder, 2);
  const Profile profile = recording.profile();
  CHECK(profile.name == recorded);
  CHECK(profile.components.size() == 6);
}

TEST_CASE("the recorder looks no more often than it may") {
  const World world = known_world();
  const Recording recording;
  record::Options options = recording.options(100);
  options.overhead = 0;
  NamingRecorder recorder(options, world.look());
  play(recorder, 100);
  CHECK(recorder.seen().frames == 100);
  CHECK(recorder.seen().looks == 2);  // the first, and the one that makes a pair of it
  CHECK(recorder.seen().pairs == 1);
  CHECK(recording.profile().entities == 200);
}

TEST_CASE("nothing counts after the end") {
  World world = known_world();
  const Recording recording;
  NamingRecorder recorder(recording.options(5), world.look());
  play(recorder, 5);
  const std::string text = recording.text();
  world.entities.clear();
  recorder.system("late", reads<Position>);
  recorder.lookups(1, reads<Position>);
  play(recorder, 500);
  recorder.finish();
  CHECK(recorder.seen().frames == 5);
  CHECK(recorder.seen().systems.empty());
  CHECK(recording.text() == text);
}

// ---- storages

using Scene = Schema<Group<Position, Velocity>, Mass, Toggled<Burning>>;

TEST_CASE("a storage of pools is recorded") {
  IndirectionMap<Scene> storage;
  const Entity root = storage.create(Position{}, Velocity{});
  storage.emplace<Burning>(root);
  const auto add_child = [&] { return storage.create(Position{}, Velocity{}, Mass{}); };
  for (int count = 0; count < 8; ++count) add_child();
  Entity child = add_child();
  const Recording recording;
  Recorder recorder(recording.options(5),
                    record::storage(storage, [&](Entity entity) { return entity == root ? Entity() : root; }));
  for (int frame = 0; frame < 5; ++frame) {
    storage.destroy(child);
    child = add_child();
    recorder.frame();
  }
  const Profile profile = recording.profile();
  CHECK(profile.entities == 10);
  REQUIRE(profile.components.size() == 4);
  CHECK(component(profile, "Position").bytes == sizeof(Position));
  CHECK(component(profile, "Position").share == 1);
  CHECK(component(profile, "Mass").share == 0.9);
  CHECK(component(profile, "Burning").share == Approx(0.1).epsilon(1e-3));
  CHECK(profile.creations_per_frame == 1);
  REQUIRE(profile.hierarchy);
  CHECK(profile.hierarchy->depth == 2);
  CHECK(profile.kinds.front().children.at(0).count == Approx(9));
}

TEST_CASE("a component that a storage has switched off counts as absent, and as a state") {
  ArchetypeSectionsEnableBits<Scene> storage;
  std::vector<Entity> entities;
  for (int count = 0; count < 10; ++count) entities.push_back(storage.create(Position{}, Velocity{}, Burning{}));
  const Recording recording;
  Recorder recorder(recording.options(6), record::storage(storage));
  for (int frame = 0; frame < 6; ++frame) {
    storage.set_enabled<Burning>(entities[0], frame % 2 == 0);
    storage.set_enabled<Burning>(entities[1], frame % 2 == 1);
    recorder.frame();
  }
  const Profile profile = recording.profile();
  CHECK(component(profile, "Burning").share == Approx(0.9));
  CHECK(component(profile, "Burning").toggled_per_frame == 1);
}

// ---- a game that ends in the middle

/// What became of a program that does so: how it ended, and what was on its standard error.
struct End {
  int status = 0;
  std::string errors;
};
End end_of(const std::function<void()>& program) {
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe(pipe_ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    close(STDOUT_FILENO);  // the reporter must not print what it has not printed yet once more
    program();
    _exit(0);
  }
  close(pipe_ends[1]);
  End end;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = read(pipe_ends[0], part.data(), part.size())) > 0;) {
    end.errors.append(part.data(), static_cast<std::size_t>(size));
  }
  close(pipe_ends[0]);
  waitpid(child, &end.status, 0);
  return end;
}

TEST_CASE("a game that ends in the middle leaves the profile of what was seen") {
  const World world = known_world();
  const Recording recording;
  const auto play_until = [&](std::size_t frames, const std::function<void()>& end) {
    NamingRecorder recorder(recording.options(), world.look());
    for (std::size_t frame = 0; frame < frames; ++frame) {
      recorder.system("move", writes<Position>);
      recorder.frame();
    }
    end();
  };
  SECTION("by an exception") {
    CHECK_THROWS(play_until(3, [] { throw std::runtime_error("the level is broken"); }));
  }
  SECTION("by std::exit, with the recorder on the stack") {
    const End end = end_of([&] { play_until(3, [] { std::exit(0); }); });
    CHECK(end.status == 0);
    CHECK_THAT(end.errors, ContainsSubstring("game.toml"));
  }
  SECTION("by a signal, after 64 frames") {
    const End end = end_of([&] { play_until(70, [] { std::raise(SIGKILL); }); });
    CHECK(WIFSIGNALED(end.status));
  }
  CHECK(recording.profile().entities == 200);
  CHECK(recording.profile().systems.at(0).runs_per_frame == 1);
  CHECK(recording.files() == 1);  // nothing half-written
}

TEST_CASE("an empty world or a game without a frame leaves no profile, and a line that says what to do") {
  World world;
  const Recording recording;
  std::size_t frames = 100;
  SECTION("without entities") {}
  SECTION("with entities that have nothing") { world.create(0, {}); }
  SECTION("without a frame") {
    world = known_world();
    frames = 0;
  }
  const End end = end_of([&] {
    Recorder recorder(recording.options(100), world.look());
    play(recorder, frames);
  });
  CHECK(recording.files() == 0);
  CHECK(std::ranges::count(end.errors, '\n') == 1);
  CHECK_THAT(end.errors, ContainsSubstring("game.toml"));
  CHECK_THAT(end.errors, ContainsSubstring("frame()"));
}

// ---- the file

TEST_CASE("a recorder replaces a recorded profile, and no other file") {
  const World world = known_world();
  const Recording recording;
  const auto record_two_frames = [&] {
    NamingRecorder recorder(recording.options(2), world.look());
    play(recorder, 2);
  };
  record_two_frames();
  SECTION("recorded before") {
    std::ofstream(recording.file(), std::ios::app) << "\n# broken [";
    record_two_frames();
    CHECK_THAT(recording.text(), !ContainsSubstring("broken"));
    CHECK(recording.profile().entities == 200);
  }
  SECTION("beside a link to another file") {
    const fs::path other = recording.file().parent_path() / "other";
    std::ofstream(other) << "mine\n";
    fs::create_symlink(other, recording.file().string() + ".part");
    record_two_frames();
    CHECK(recording.profile().entities == 200);
    std::string line;
    std::getline(std::ifstream(other), line);
    CHECK(line == "mine");
    fs::remove(other);
    CHECK(recording.files() == 1);
  }
  SECTION("written by hand") {
    std::ofstream(recording.file()) << "# my own\n";
    const End end = end_of(record_two_frames);
    CHECK(recording.text() == "# my own\n");
    CHECK_THAT(end.errors, ContainsSubstring("Options::file"));
    CHECK(recording.files() == 1);
  }
}

TEST_CASE("the command that goes on can be copied, and a file that cannot be written is a line on standard error") {
  const World world = known_world();
  const Recording recording;
  const auto said_of = [&](const fs::path& file) {
    const End end = end_of([&] {
      record::Options options = recording.options(2);
      options.file = file;
      NamingRecorder recorder(options, world.look());
      play(recorder, 2);
    });
    CHECK(end.status == 0);
    return end.errors;
  };
  CHECK_THAT(said_of(recording.file().parent_path() / "it's $mine.toml"),
             ContainsSubstring("stowage recommend '/") && ContainsSubstring("it'\\''s $mine.toml'"));
  const std::string refused = said_of(recording.file() / "no directory" / "game.toml");
  CHECK(std::ranges::count(refused, '\n') == 1);
  CHECK_THAT(refused, ContainsSubstring("no directory"));
}

// ---- the limits of a profile

template <std::size_t Number>
struct Numbered {
  std::array<char, Number + 1> bytes;
};

TEST_CASE("what a profile cannot hold is merged or left out, and named") {
  World world;
  for (std::size_t index = 0; index < 1000; ++index) {
    world.create(index, {310});
    for (std::size_t number = 0; number < 310; ++number) {
      if (index % (number % 40 + 1) == 0) world.entities[index].set.set(number);
    }
  }
  const Recording recording;
  Recorder recorder(recording.options(2), world.look());
  const auto use_all = [&]<std::size_t... Numbers>(std::index_sequence<Numbers...>) {
    recorder.components<Numbered<Numbers>...>();
    (recorder.system("system" + std::to_string(Numbers), reads<Numbered<Numbers>, Numbered<39 - Numbers>>), ...);
    (recorder.lookups(Numbers + 1, writes<Numbered<Numbers>>), ...);
  };
  use_all(std::make_index_sequence<40>());
  for (int number = 40; number < 101; ++number) recorder.system("system" + std::to_string(number), reads<Numbered<0>>);
  for (int number = 40; number < 310; ++number) recorder.component("Other" + std::to_string(number), 4);
  recorder.component("Huge", 100000);
  play(recorder, 2);
  const Profile profile = recording.profile();
  CHECK(profile.components.size() == 300);
  CHECK(component(profile, "rest").bytes == 24);  // 12 of 4 bytes, the least of all: 50 entities have 6 of them
  CHECK(component(profile, "rest").share == Approx(0.05).margin(0.001));
  CHECK(component(profile, "Huge").bytes == 4096);
  CHECK(profile.systems.size() == 100);
  CHECK(profile.lookups.size() == 32);
  CHECK_THAT(recording.text(), ContainsSubstring("are left out: system"));
}

TEST_CASE("a number of lookups is not rounded to more than a profile may have") {
  World world;
  for (std::size_t index = 0; index < 12'346; ++index) world.create(index, {position});
  const Profile profile =
      recorded(world, 2, [](Recorder& recorder, std::size_t) { recorder.lookups(1'234'567, reads<Position>); });
  REQUIRE(profile.lookups.size() == 1);
  CHECK(profile.lookups[0].per_frame == 1'234'567);
}

TEST_CASE("times of systems are comments if only one frame was seen, or if frames took more than ten seconds") {
  const auto [timed_frames, timed_s] = GENERATE(table<std::uint64_t, double>({{0, 0}, {2, 25}}));
  const World world = known_world();
  const Recording recording;
  NamingRecorder recorder(recording.options(3), world.look());
  recorder.system("move", writes<Position>);
  play(recorder, 3);
  record::Observations seen = recorder.seen();
  seen.timed_frames = timed_frames;
  seen.timed_s = timed_s;
  seen.systems[0].timed_s = 3;
  const std::string text = record::profile_of(seen);
  const Profile profile = parse_profile(text, recording.file());
  CHECK_FALSE(profile.recorded.frame_ms);
  CHECK_FALSE(profile.systems.at(0).ms);
  CHECK_THAT(text, ContainsSubstring("# ms = 1000"));
}

TEST_CASE("a recording of many sets of many components is not too long for a profile") {
  World world;
  workloads::Random random(1);
  for (std::size_t index = 0; index < 500; ++index) {
    world.create(index, {});
    record::Set& set = world.entities[index].set;
    while (set.count() < 90) set.set(random.below(300));
  }
  const Recording recording;
  Recorder recorder(recording.options(2), world.look());
  for (int number = 0; number < 300; ++number) {
    recorder.component("game.SomewhatLongNameOfAComponent" + std::to_string(number), 4);
  }
  play(recorder, 2);
  CHECK(recording.text().size() > 1'500'000);
  CHECK(recording.profile().kinds.size() == 500);
}

TEST_CASE("a system of rare components finds the entities that have them") {
  World world;
  for (std::size_t index = 0; index < 100; ++index) world.create(index, {position});
  for (std::size_t index = 0; index < 5; ++index) world.create(index, {position, velocity, burning});
  world.create(5, {position, velocity});
  const Profile profile = recorded(world, 2, [](Recorder& recorder, std::size_t) {
    recorder.system("burn", reads<Velocity>, writes<Burning, Position>);
  });
  REQUIRE(profile.systems.size() == 1);
  CHECK(names(profile, profile.systems[0].writes) == Names{"Position", "Burning"});
  CHECK(names(profile, profile.systems[0].reads) == Names{"Velocity"});
}

TEST_CASE("a system of a component that is too rare for the profile is left out, and named") {
  World world;
  for (std::size_t index = 0; index < 100; ++index) world.create(index, {position});
  const Recording recording;
  NamingRecorder recorder(recording.options(10), world.look());
  for (std::size_t frame = 0; frame < 10; ++frame) {
    recorder.system("move", writes<Position>);
    recorder.system("burn", writes<Position, Burning>);
    if (frame == 5) world.create(100, {position, burning});
    if (frame == 6) world.entities.erase(100);
    recorder.frame();
  }
  const Profile profile = recording.profile();
  REQUIRE(profile.systems.size() == 1);
  CHECK(profile.systems[0].name == "move");
  CHECK_THAT(recording.text(), ContainsSubstring("looks: burn."));
}

/// Worlds of every kind: few entities and many, of which components and entities come and go as it happens.
TEST_CASE("every recording is a profile") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    workloads::Random random(seed);
    const std::size_t most = 1 + random.below(seed % 3 == 0 ? 4 : 60);
    const std::size_t kinds = 1 + random.below(seed % 5 == 0 ? 60 : 8);
    const Recording recording;
    World world;
    const auto change = [&] {
      const std::size_t index = random.below(most);
      if (random.below(3) == 0)
        world.entities.erase(index);
      else if (!world.entities.contains(index) || random.below(3) == 0)
        world.create(index, {});
      if (!world.entities.contains(index)) return;
      World::Entity& entity = world.entities[index];
      for (std::size_t flips = random.below(4); flips-- > 0;) entity.set.flip(random.below(kinds));
      if (random.below(2) == 0) entity.parent = random.below(most);
    };
    for (std::size_t count = 0; count < 2 * most; ++count) change();
    world.create(most, {0});  // so that it is never empty
    {
      Recorder recorder(recording.options(), world.look());
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        const std::size_t number = recorder.component("a.K" + std::to_string(kind % 50), random.below(3) * 8);
        if (random.below(4) == 0) recorder.set_state(number);
      }
      for (std::size_t count = random.below(40); count-- > 0;) {
        record::Use use;
        for (record::Set* const set : {&use.reads, &use.writes, &use.without, &use.optionally}) {
          for (std::size_t terms = random.below(3); terms-- > 0;) set->set(random.below(kinds));
        }
        const std::size_t system = recorder.add_system(random.below(2) == 0 ? "" : "move it", use);
        for (std::size_t runs = random.below(300); runs-- > 0;) recorder.ran(system);
      }
      for (std::size_t frame = 0; frame < 20; ++frame) {
        for (std::size_t changes = random.below(3); changes-- > 0;) change();
        recorder.frame();
      }
    }
    try {
      CHECK(recording.profile().entities >= 1);
    } catch (const std::exception& error) {
      FAIL_CHECK(error.what() << "\n" << recording.text());
    }
  }
}

}  // namespace
}  // namespace stowage::harness
