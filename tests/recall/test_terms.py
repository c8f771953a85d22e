"""Lexical recall works in every script, and a query may contain anything."""

import random

import pytest

from recollect.values.terms import query_terms, terms_of


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("see https://example.org/a?b=c for deploy", ("see", "deploy")),
        ("end-to-end", ("end",)),
        ('"NOT" (foo) AND bar*', ("foo", "bar")),
        ("x y z deploy", ("deploy",)),
        ("tags:deploy", ("tag", "deploy")),
        ("deploying deploys deployed", ("deploy",)),
    ],
)
def test_the_six_rules_clean_a_query(query, terms) -> None:
    assert query_terms(query) == terms


def test_common_words_count_only_when_there_is_nothing_else() -> None:
    assert "the" not in query_terms("the deploy of it")
    assert query_terms("who are you")


def test_a_word_of_another_script_changes_nothing_about_the_words_before_it() -> None:
    words = "don't Anna's x_y K8s camelCase HTTPServer foo-bar o'clock 's a' 'b s' 3.14 10k UPPER Title a'sb a's. I x".split()
    source = random.Random(5)
    for _ in range(2000):
        text = source.choice((" ", "", "_", "'")).join(source.choices(words, k=source.randint(1, 8)))
        assert terms_of(text) + terms_of("\u03b2\u03ac\u03c3\u03b7") == terms_of(f"{text} \u03b2\u03ac\u03c3\u03b7"), (
            text
        )


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("我们使用Postgres数据库部署", "数据库"),
        ("東京のサーバーを再起動する", "サーバー"),
        ("서울 데이터베이스를 사용합니다", "데이터베이스"),
        ("نستخدم قاعدة بيانات في الإنتاج", "قاعدة البيانات"),
        ("قَاعِدَة", "قاعدة"),
        ("Мы используем базу данных", "базу данных"),
        ("Χρησιμοποιούμε βάση δεδομένων", "ΒΆΣΗ"),
        ("ฐานข้อมูลหลักอยู่ที่กรุงเทพ", "ฐานข้อมูล"),
        ("Der Größe nach", "GRÖSSE"),
        ("café au lait", "cafe"),
        ("parseHttpRequest fails", "http request"),
        ("make_deploy target", "deploy"),
        ("ｆｕｌｌｗｉｄｔｈ ｔｅｘｔ", "fullwidth"),
    ],
)
def test_words_meet_in_every_script(stored, asked) -> None:
    assert set(query_terms(asked)) & set(terms_of(stored))


@pytest.mark.parametrize("text", ["部署用make", "продакшн сервер упал", "قاعدة البيانات بطيئة", "本番サーバーが落ちた"])
def test_recall_finds_a_memory_by_its_words_in_any_script(tmp_path, text) -> None:
    import recollect

    with recollect.open(tmp_path / "m.db", embedder="none") as memory:
        memory.remember("An unrelated English fact about gardens")
        kept = memory.remember(text).memory
        part = text[: len(text) // 2 + 2]
        assert memory.recall(part)[0].memory.id == kept.id
