#pragma once

// Observes a running game and writes what it does as a profile for `stowage recommend`. Needs nothing else of stowage.
//
//     #include <stowage/record/entt_look.hpp>  // or flecs_look, storage_look
//
//     namespace record = stowage::record;
//     record::Recorder recorder({.file = "game.toml", .name = "my game"}, record::entt_registry(registry));
//     recorder.components<Position, Velocity, Health>();                             // which tells their sizes
//     while (running) {
//       {
//         const auto timed = recorder.timed_system("move", record::reads<Velocity>, record::writes<Position>);
//         ...                                                                        // what the system does
//       }
//       recorder.lookups(hits.size(), record::writes<Health>);                       // components found by handle
//       ...
//       recorder.frame();                                                            // at the end of each frame
//     }
//
// The recorder looks at the world at the end of a frame: which entities there are, which components each has, and what
// it hangs on. Entities with the same components are a kind. Two looks after consecutive frames tell how many of each
// kind were created and destroyed in between, and which components the others gained and lost. It looks as often as its
// share of the processor time allows (`Options::overhead`). Systems and lookups leave no trace in a world: flecs knows
// its systems, and other games name them as above. What timed_system() returns times its scope; system() only counts.
// The time of a frame is the mean of all: of the processor or of the clock on the wall, whichever is less, so that
// waiting for the display does not count. The first constructor times a fixed loop, which takes about 25 ms.
//
// When the profile is written: after `Options::frames` frames, by the destructor, or by std::exit, whichever comes
// first; also after 64, 128, 256, ... frames, or as soon as the overhead allows it after that, so that a game that is
// killed leaves what it did until then. Comments in the profile say what was seen and what was guessed. If no entity
// had a component, no file is written, and a line on standard error says so. A file is written whole or not at all, and
// replaces only a file that a recorder wrote.
//
// What it cannot see: entities that end in the frame in which they began, components that are removed and added within
// one frame, and components and parents of flecs that are not part of a table (DontFragment, Parent).
//
// A look takes O(entities + their components), a few nanoseconds for each, and twice 64 bytes for each index up to the
// highest. Otherwise frame(), system() and lookups() take some ten nanoseconds. Nothing in the world is changed or
// invalidated, but flecs is told to time its systems. The world must outlive the recorder. All calls come from one
// thread. Any call may throw std::bad_alloc. What is wrong with the file is said on standard error.

#include <stowage/record/observations.hpp>
#include <stowage/record/profile_writer.hpp>
#include <stowage/record/yardstick.hpp>

namespace stowage::record {

class Recorder {
  using Clock = std::chrono::steady_clock;

 public:
  /// Tells the recorder what is in the world, by entity(), has(), child_of() and ran().
  using Look = std::function<void(Recorder&)>;

  Recorder(Options options, Look look) : options_(std::move(options)), look_(std::move(look)) {
    seen_.name = options_.name;
    seen_.frames_per_second = options_.frames_per_second;
    seen_.storage = options_.storage;
    static const double of_this_machine_ms = yardstick_ms();
    seen_.yardstick_ms = of_this_machine_ms;
    seen_.is_optimized = is_optimized;
    live().push_back(this);
    [[maybe_unused]] static const int at_exit = std::atexit([] {
      for (Recorder* const recorder : std::vector<Recorder*>(live())) recorder->finish();
    });
  }
  ~Recorder() {
    finish();
    std::erase(live(), this);
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // ---- for games

  /// Tells the sizes of components. Not necessary for those of flecs or a stowage storage, or if a system or a lookup
  /// names them.
  template <class... Cs>
  void components() {
    (static_cast<void>(component<Cs>()), ...);
  }
  /// Components that a storage may switch off and on where it can, instead of removing and adding them.
  template <class... Cs>
  void states() {
    ((seen_.components[component<Cs>()].is_state = true), ...);
  }

  /// Times a run of a system until the end of its scope. The recorder must outlive it.
  class Timed {
   public:
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() {
      if (recorder_ != nullptr) recorder_->seen_.systems[system_].timed_s += seconds_since(begin_);
    }

   private:
    friend class Recorder;
    Timed(Recorder* recorder, std::size_t system) : recorder_(recorder), system_(system) {}

    Recorder* recorder_;  ///< null if the recording is over
    std::size_t system_;
    Clock::time_point begin_ = Clock::now();
  };

  /// Counts a run of the system with that name and these terms: reads<>, writes<>, without<>, optionally<>. O(1), but
  /// O(systems) if several systems with equal terms run in turns.
  template <class... Terms>
  void system(std::string_view name, Terms... terms) {
    static_cast<void>(count_run(name, terms...));
  }
  /// The same, and times the run: `const auto timed = recorder.timed_system("move", ...);`. Reads a clock twice.
  template <class... Terms>
  [[nodiscard]] Timed timed_system(std::string_view name, Terms... terms) {
    const std::optional<std::size_t> system = count_run(name, terms...);
    return {system ? this : nullptr, system.value_or(0)};
  }

  /// Counts that reads<> and writes<> were found in so many entities, by handle. O(1).
  template <class... Terms>
  void lookups(std::uint64_t times, Terms... terms) {
    if (is_over_) return;
    const std::size_t number = detail::number_of_terms<Terms...>();
    if (number >= seen_.lookups.size()) seen_.lookups.resize(number + 1);
    Lookup& lookup = seen_.lookups[number];
    if (lookup.times == 0) (add_to(lookup.use, terms), ...);
    lookup.times += times;
  }

  /// Ends a frame, and looks at the world if it is time to.
  void frame() {
    if (is_over_) return;
    ++seen_.frames;
    const bool is_last = seen_.frames == options_.frames;
    const bool is_half_a_pair = last_look_ + 1 == seen_.frames && !last_look_made_pair_;
    if (seen_.frames < next_check_ && !is_last && !is_half_a_pair) return;
    const Moment now = now_();
    if (seen_.frames == 1) begin_ = now;
    const Moment elapsed = now - begin_;
    const Moment of_game = elapsed - spent_;
    seen_.timed_frames = seen_.frames - 1;
    seen_.timed_s = (std::max)(0.0, (std::min)(of_game.processor_s, of_game.wall_s));
    const bool may_look = options_.overhead >= 1 || spent_.processor_s < options_.overhead * elapsed.processor_s;
    if (seen_.frames == 1 || is_half_a_pair || may_look) {
      look();
    } else {
      next_check_ = seen_.frames + 16;  // to read the processor's clock may take a microsecond
    }
    if (is_last) return finish();
    if (may_look && seen_.frames >= next_write_) {
      write(false);
      next_write_ = 2 * seen_.frames;
    }
    const Moment took = now_() - now;
    spent_.processor_s += took.processor_s;
    spent_.wall_s += took.wall_s;
  }

  /// Writes the profile, if there is something to write, and ends the recording. Ends the program if memory runs out.
  void finish() noexcept {
    if (is_over_) return;
    is_over_ = true;
    write(true);
  }

  [[nodiscard]] const Observations& seen() const noexcept { return seen_; }

  // ---- for adapters, which are called in a look

  /// The number of a component, by its symbol. O(1).
  std::size_t component(const std::string& symbol) { return number_in(numbers_, symbol, symbol); }
  std::size_t component(const std::string& symbol, std::size_t bytes) {
    const std::size_t number = component(symbol);
    set_bytes(number, bytes);
    return number;
  }
  template <class C>
  std::size_t component() {
    return number_of(static_cast<const C*>(nullptr));
  }
  /// The number of a component of an ECS that tells its components apart by ids: two ids are two components, even if
  /// their symbols are equal. The first with a symbol is the one that is told and used by the type. O(1), but
  /// O(components) for a new id.
  std::size_t component_of(std::uint64_t id, const std::string& symbol) {
    const auto known = ids_.find(id);
    if (known != ids_.end()) return known->second;
    const std::size_t number = component(symbol);
    const bool is_taken =
        std::any_of(ids_.begin(), ids_.end(), [&](const auto& other) { return other.second == number; });
    return ids_[id] = is_taken ? add_component(symbol) : number;
  }
  /// The number of the Named<> component whose name passes the test, if there is one. O(components).
  template <class IsIt>
  [[nodiscard]] std::optional<std::size_t> named(IsIt is_it) const {
    const auto found = std::find_if(named_.begin(), named_.end(), [&](const auto& each) { return is_it(each.first); });
    return found == named_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Of the type with this symbol, if the recorder was told them. O(1).
  [[nodiscard]] std::optional<std::size_t> bytes_of(const std::string& symbol) const {
    const auto known = numbers_.find(symbol);
    if (known == numbers_.end() || !seen_.components[known->second].is_size_known) return std::nullopt;
    return seen_.components[known->second].bytes;
  }
  void set_bytes(std::size_t component, std::size_t bytes) {
    seen_.components[component].bytes = bytes;
    seen_.components[component].is_size_known = true;
  }
  void set_unnamed(std::size_t component) { seen_.components[component].is_unnamed = true; }
  void set_state(std::size_t component) { seen_.components[component].is_state = true; }

  /// An entity that is alive. Another one with the same index must have another handle.
  void entity(std::size_t index, std::uint64_t handle) {
    if (index >= rows_.size()) rows_.resize(index + 1);
    rows_[index].handle = handle;
    rows_[index].is_alive = true;
  }
  /// Of entities and components that the recorder was told; others are left out, here and below.
  void has(std::size_t index, std::size_t component) {
    if (index < rows_.size() && component < seen_.components.size()) rows_[index].set.set(component);
  }
  void child_of(std::size_t index, std::size_t parent) {
    if (index < rows_.size()) rows_[index].parent = parent;
  }

  /// Adds a system of a library that knows its systems, and returns its number.
  std::size_t add_system(std::string name, const Use& use) {
    seen_.systems.push_back({.name = std::move(name), .use = use, .runs = 0, .is_of_looks = true});
    return seen_.systems.size() - 1;
  }
  /// A system with such a number ran in the frame of this look.
  void ran(std::size_t system) { ++seen_.systems[system].runs; }
  /// The time that such a system took in all frames since the first.
  void took(std::size_t system, double seconds) {
    seen_.systems[system].timed_s = seconds;
    seen_.systems[system].timed_frames = seen_.frames - 1;
  }
  /// What the game stores its entities in, unless Options::storage says so.
  void stores_in(std::string_view storage) {
    if (seen_.storage.empty()) seen_.storage = storage;
  }

 protected:
  /// Seconds of both clocks.
  struct Moment {
    double processor_s = 0;  ///< of all threads of the program
    double wall_s = 0;

    Moment operator-(const Moment& other) const { return {processor_s - other.processor_s, wall_s - other.wall_s}; }
  };
  Moment (*now_)() = read_clocks;  ///< tests set it

 private:
  using Numbers = std::unordered_map<std::string, std::size_t>;

  static constexpr auto no_system = static_cast<std::size_t>(-1);
  static constexpr std::size_t no_parent = (std::numeric_limits<std::size_t>::max)();

  struct Row {
    std::uint64_t handle = 0;
    Set set;
    std::size_t parent = no_parent;
    std::uint32_t level = 0;  ///< in its tree, which is cut below most_levels
    bool is_alive = false;
    bool is_parent = false;
  };

  std::size_t add_component(const std::string& symbol) {
    if (seen_.components.size() < most_components) seen_.components.emplace_back().symbol = symbol;
    return seen_.components.size() - 1;
  }
  std::size_t number_in(Numbers& numbers, const std::string& key, const std::string& symbol) {
    const auto known = numbers.find(key);
    return known != numbers.end() ? known->second : numbers[key] = add_component(symbol);
  }
  template <class C>
  std::size_t number_of(const C*) {
    return component(detail::symbol_of<C>(), std::is_empty_v<C> ? 0 : sizeof(C));
  }
  template <Text name, class C>
  std::size_t number_of(const Named<name, C>*) {
    const std::size_t number = number_in(named_, name.characters, name.characters);
    if constexpr (!std::is_void_v<C>) set_bytes(number, std::is_empty_v<C> ? 0 : sizeof(C));
    return number;
  }

  /// Never destroyed, because a recorder may be a static object.
  [[nodiscard]] static std::vector<Recorder*>& live() {
    static auto* const recorders = new std::vector<Recorder*>();
    return *recorders;
  }

  /// The processor's clock is that of the program: what others do on the machine must not make looks look cheap.
  [[nodiscard]] static Moment read_clocks() {
    return {static_cast<double>(std::clock()) / CLOCKS_PER_SEC, seconds_since(Clock::time_point())};
  }

  [[nodiscard]] static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /// The system that ran, by its number; none if the recording is over.
  template <class... Terms>
  std::optional<std::size_t> count_run(std::string_view name, Terms... terms) {
    if (is_over_) return std::nullopt;
    const std::size_t number = detail::number_of_terms<Terms...>();
    if (number >= last_systems_.size()) last_systems_.resize(number + 1, no_system);
    std::size_t& last = last_systems_[number];
    if (last >= seen_.systems.size() || seen_.systems[last].name != name) last = find_or_add(name, terms...);
    ++seen_.systems[last].runs;
    return last;
  }
  template <class... Terms>
  [[nodiscard]] std::size_t find_or_add(std::string_view name, Terms... terms) {
    System system{.name = std::string(name)};
    (add_to(system.use, terms), ...);
    const auto found = std::find_if(seen_.systems.begin(), seen_.systems.end(), [&](const System& other) {
      return other.name == system.name && other.use == system.use;
    });
    if (found != seen_.systems.end()) return static_cast<std::size_t>(found - seen_.systems.begin());
    seen_.systems.push_back(std::move(system));
    return seen_.systems.size() - 1;
  }
  template <class... Cs>
  void add_to(Use& use, Reads<Cs...>) {
    (use.reads.set(component<Cs>()), ...);
  }
  template <class... Cs>
  void add_to(Use& use, Writes<Cs...>) {
    (use.writes.set(component<Cs>()), ...);
  }
  template <class... Cs>
  void add_to(Use& use, Without<Cs...>) {
    (use.without.set(component<Cs>()), ...);
  }
  template <class... Cs>
  void add_to(Use& use, Optionally<Cs...>) {
    (use.optionally.set(component<Cs>()), ...);
  }

  void look() {
    rows_.swap(previous_);
    rows_.assign(rows_.size(), Row());
    look_(*this);
    ++seen_.looks;
    find_levels();
    count_kinds();
    last_look_made_pair_ = last_look_ + 1 == seen_.frames && seen_.frames > 1;
    if (last_look_made_pair_) count_changes();
    last_look_ = seen_.frames;
  }

  [[nodiscard]] static const Row* parent_of(const std::vector<Row>& rows, const Row& row) {
    return row.parent < rows.size() && rows[row.parent].is_alive ? &rows[row.parent] : nullptr;
  }
  [[nodiscard]] static Kind kind_of(const std::vector<Row>& rows, const Row& row) {
    Kind kind{.set = row.set, .level = row.level, .is_parent = row.is_parent};
    if (row.level > 0) kind.parent = rows[row.parent].set;
    return kind;
  }

  void find_levels() {
    constexpr std::uint32_t most = 10000;  // or parents in a circle
    for (Row& row : rows_) {
      if (!row.is_alive) continue;
      std::uint32_t level = 0;
      for (const Row* at = parent_of(rows_, row); at != nullptr && level < most; at = parent_of(rows_, *at)) ++level;
      if (level == 0) continue;
      ++seen_.children;
      seen_.levels = (std::max)(seen_.levels, std::uint64_t{level} + 1);
      row.level = level == most ? 0 : level % most_levels;
      if (row.level > 0) rows_[row.parent].is_parent = true;
    }
  }

  void count_kinds() {
    std::uint64_t entities = 0;
    KindFigures* figures = nullptr;  // neighbours are often of one kind
    Kind last;
    for (const Row& row : rows_) {
      if (!row.is_alive) continue;
      ++entities;
      const Kind kind = kind_of(rows_, row);
      if (figures == nullptr || last != kind) figures = &seen_.kinds[kind];
      last = kind;
      ++figures->entities;
    }
    seen_.least_entities = (std::min)(seen_.least_entities, entities);
    seen_.most_entities = (std::max)(seen_.most_entities, entities);
  }

  void count_changes() {
    ++seen_.pairs;
    const Row none;
    const auto row_in = [&](const std::vector<Row>& rows, std::size_t index) -> const Row& {
      return index < rows.size() ? rows[index] : none;
    };
    const auto is_same = [&](std::size_t index) {
      const Row& before = row_in(previous_, index);
      const Row& after = row_in(rows_, index);
      return before.is_alive && after.is_alive && before.handle == after.handle;
    };
    // What came or went with its parent is counted with that.
    const auto is_alone = [&](const Row& row) { return row.level == 0 || is_same(row.parent); };
    for (std::size_t index = 0; index < (std::max)(rows_.size(), previous_.size()); ++index) {
      const Row& before = row_in(previous_, index);
      const Row& after = row_in(rows_, index);
      if (!is_same(index)) {
        if (before.is_alive) ++seen_.destroyed;
        if (after.is_alive) ++seen_.created;
        if (before.is_alive && is_alone(before)) ++seen_.kinds[kind_of(previous_, before)].destroyed;
        if (after.is_alive && is_alone(after)) ++seen_.kinds[kind_of(rows_, after)].created;
      } else if (before.set != after.set) {
        for (std::size_t number = 0; number < seen_.components.size(); ++number) {
          if (after.set.test(number) && !before.set.test(number)) ++seen_.components[number].gained;
          if (before.set.test(number) && !after.set.test(number)) ++seen_.components[number].lost;
        }
      }
    }
  }

  // ---- the file

  void write(bool is_last) {
    const std::string file = options_.file.string();
    if (!seen_.has_components()) {
      if (is_last) {
        complain("no entity with a component was seen in " + std::to_string(seen_.frames) + " frames, so there is no " +
                 file + "; call frame() while the world is filled");
      }
      return;
    }
    const double elapsed = (now_() - begin_).processor_s;
    seen_.share_of_time = elapsed > 0 ? (std::min)(1.0, spent_.processor_s / elapsed) : 0;
    if (!write_whole(profile_of(seen_)) || !is_last) return;
    std::fprintf(stderr, "stowage: recorded %llu frames of %s in %s; next: stowage recommend %s\n",
                 static_cast<unsigned long long>(seen_.frames), detail::in_a_line(options_.name).c_str(),
                 detail::in_a_line(file).c_str(), detail::shell_word(file).c_str());
  }

  [[nodiscard]] bool write_whole(const std::string& text) {
    const std::string file = options_.file.string();
    std::string line;
    if (std::ifstream there(options_.file);
        there && (!std::getline(there, line) || !line.starts_with(detail::first_words))) {
      complain(file + " is no recorded profile and is left as it is; remove it, or give Options::file another name");
      return false;
    }
    std::filesystem::path part = options_.file;
    part += ".part";
    std::error_code error;
    std::filesystem::remove(part, error);                             // a game that was killed may have left it
    std::FILE* const out = std::fopen(part.string().c_str(), "wbx");  // a new file, whatever link is there
    bool is_whole = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
    is_whole = out != nullptr && std::fclose(out) == 0 && is_whole;
    if (is_whole) std::filesystem::rename(part, options_.file, error);
    if (is_whole && !error) return true;
    std::filesystem::remove(part, error);
    complain(file + " cannot be written; give Options::file a path in a directory that can be");
    return false;
  }

  /// A line on standard error, once for each text.
  void complain(const std::string& what) {
    if (what == last_complaint_) return;
    std::fprintf(stderr, "stowage: %s\n", detail::in_a_line(what).c_str());
    last_complaint_ = what;
  }

  Options options_;
  Look look_;
  Observations seen_;
  Numbers numbers_;  ///< by symbol
  Numbers named_;    ///< by the name of a Named<>
  std::unordered_map<std::uint64_t, std::size_t> ids_;
  std::vector<Row> rows_;
  std::vector<Row> previous_;
  std::vector<std::size_t> last_systems_;  ///< for each list of terms, the system that ran last
  Moment begin_;                           ///< at the end of the first frame
  Moment spent_;                           ///< in looks, and in writing
  std::uint64_t last_look_ = 0;
  bool last_look_made_pair_ = true;
  bool is_over_ = false;
  std::string last_complaint_;
  std::uint64_t next_check_ = 0;   ///< the frame before which there is no time for a look
  std::uint64_t next_write_ = 64;  ///< the frame after which the profile is written next, if there is time
};

}  // namespace stowage::record
