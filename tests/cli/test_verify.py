def test_equal_work_is_verified(fake):
    outcome = fake("verify", "--strategies", "fast,twin").ends_with(0)
    assert outcome.err == ""
    for name in ("reference", "fast", "twin"):
        assert any(line.startswith(name) and "equal" in line for line in outcome.out.splitlines())


def test_a_wrong_strategy_is_named_with_its_cell_and_one_that_contradicts_the_model_with_the_seed(fake):
    outcome = fake("verify", "--strategies", "fast,wrong", "--entities", "1k", "--workloads", "walk").ends_with(1)
    assert "stowage: walk/wrong/entities:1024/via:each: checksum" in outcome.err
    assert "fast" not in outcome.err
    assert "1 of 1 FAILED" in outcome.out
    outcome = fake("verify", "--strategies", "mismodelled").ends_with(1)
    assert "mismodelled (model, seed 3): after 12 operations alive()" in outcome.err


def test_a_storage_that_misjudges_its_memory_is_named_with_both_accounts(fake):
    outcome = fake("verify", "--strategies", "fast,forgetful", "--entities", "1k", "--workloads", "walk").ends_with(1)
    assert "stowage: walk/forgetful/entities:1024/via:each: memory() says 8184 bytes" in outcome.err
    assert "fast" not in outcome.err
    (row,) = [line for line in outcome.out.splitlines() if line.startswith("forgetful")]
    assert "1 equal" in row
    assert "1 of 1 FAILED" in row


def test_cells_that_cannot_exist_are_counted_with_the_reason(fake):
    outcome = fake("verify", "--strategies", "fast,narrow", "--workloads", "walk", "--entities", "1k,16k,100k")
    assert outcome.code == 0
    (left_out,) = [line for line in outcome.out.splitlines() if "left out" in line]
    for words in ("narrow", "2 cells", "walk/narrow/entities:16384/via:each", "at most 4096 rows"):
        assert words in left_out
    # unless it was not selected
    outcome = fake("verify", "--strategies", "fast,narrow", "--workloads", "walk", "--entities", "1k,16k",
                   "--cells", "entities:1024").ends_with(0)
    assert "left out" not in outcome.out


def test_shipped_strategies_are_verified(stowage):
    """That all of them are equal in everything is for the tests of the workloads and of the model to say."""
    strategies = ("indirection_map", "archetype_sections")
    outcome = stowage("verify", "--entities", "1k", "--strategies", ",".join(strategies), "--workloads", "join,create")
    assert outcome.code == 0, outcome.err
    for name in ("reference", *strategies):
        assert any(line.split()[:1] == [name] and "equal" in line for line in outcome.out.splitlines())
