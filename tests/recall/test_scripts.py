"""A question in a script that the embedding model does not know is answered by its words."""

import pytest

import recollect
from recollect.recall.pipeline import FOREIGN
from recollect.recall.query import is_foreign

LATIN = frozenset({"latin"})
PEOPLE = ("王老师", "李医生", "张经理", "刘阿姨", "陈师傅", "杨同学", "赵律师", "黄教练", "周编辑", "吴工程师")
HABITS = ("每天早上喝绿茶", "周末去公园跑步", "喜欢收集旧邮票", "正在学习弹钢琴", "养了三只小花猫")
ANSWER = "我们的数据库备份保存在上海机房"


@pytest.fixture
def chinese(tmp_path, clock):
    """Fifty-one sentences in Chinese, embedded by the default model, which was made for English."""
    with recollect.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember_many([f"{who}{what}" for who in PEOPLE for what in HABITS], verbatim=True)
        memory.remember_many([ANSWER], verbatim=True)
        yield memory


def test_a_chinese_question_finds_the_sentence_it_shares_words_with(chinese) -> None:
    found = chinese.recall("数据库备份在哪里", explain=True)
    assert found[0].memory.content == ANSWER
    assert found[0].explain.signal("words") == 1.0
    assert FOREIGN in found.notes
    assert found[0].similarity is None, "a similarity of this model says nothing here"
    (meaning,) = (signal for signal in found[0].explain.signals if signal.name == "meaning")
    assert meaning.weight == pytest.approx(0.1)


def test_every_profile_and_mode_goes_by_the_words(chinese) -> None:
    for profile in ("hybrid", "composite", "cascade", "belief"):
        assert chinese.recall("数据库备份在哪里", profile=profile)[0].memory.content == ANSWER, profile
    for mode in ("lexical", "semantic", "hybrid"):
        assert chinese.search("数据库备份在哪里", mode=mode)[0].memory.content == ANSWER, mode


def test_a_stranger_in_chinese_is_no_answer(chinese) -> None:
    assert chinese.recall("数据库备份在哪里").answered
    assert not chinese.recall("火车票多少钱").answered


def test_a_question_in_a_known_script_is_not_touched(chinese) -> None:
    found = chinese.recall("Wo liegen die Sicherungskopien für die Bücher?")
    assert FOREIGN not in found.notes
    assert found[0].similarity is not None


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("where is the backup", False),
        ("où est la sauvegarde", False),
        ("где лежит резервная копия", True),
        ("数据库在哪里", True),
        ("PostgreSQL 用什么端口", False),
        ("πού είναι", True),
        ("42?! … 7", False),
    ],
)
def test_most_letters_decide(text: str, foreign: bool) -> None:
    assert is_foreign(text, LATIN) is foreign
    assert is_foreign(text, None) is False
    assert not is_foreign(text, LATIN | {"cjk", "cyrillic", "greek"})


def test_an_embedder_that_says_nothing_of_scripts_knows_all(memory) -> None:
    memory.remember(ANSWER)
    found = memory.recall("数据库备份在哪里")
    assert FOREIGN not in found.notes and found[0].similarity is not None
