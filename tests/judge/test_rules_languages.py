"""The rules in the languages that have a file besides English, and in those that have none."""

from __future__ import annotations

import pytest
from tests.judge.statements import pairs

from recollect.judge.rules import compare
from recollect.judge.rules.lexicon import language_of, languages

SUPERSEDED = pairs("""
Der Port des Servers ist 8080 | Der Port des Servers ist 9090
Die Miete ist 800 Euro | Die Miete ist 900 Euro
Tom arbeitet bei Google | Tom arbeitet jetzt bei Stripe
Wir nutzen Docker | Wir nutzen Docker nicht mehr
El puerto del servidor es 8080 | El puerto del servidor es 9090
Tom trabaja en Google | Tom ahora trabaja en Stripe
Usamos Docker | Ya no usamos Docker
Le port du serveur est 8080 | Le port du serveur est 9090
Tom travaille chez Google | Tom travaille maintenant chez Stripe
Nous utilisons Docker | Nous n'utilisons plus Docker
服务器端口是 8080 | 服务器端口是 9090
""")
TOLD = pairs("""
Tom wohnt in Berlin | Tom ist nach Paris gezogen
Die Hochzeit ist am 12. Juni | Die Hochzeit wurde auf den 20. August verschoben
Wir nutzen Jenkins für CI | Wir sind von Jenkins auf GitHub Actions umgestiegen
Maria leitet die Abrechnung | Ben hat die Abrechnung übernommen
Tom vive en Madrid | Tom se mudó a París
La boda es el 12 de junio | La boda fue aplazada al 20 de agosto
Tom habite à Lyon | Tom a déménagé à Paris
Le mariage est le 12 juin | Le mariage est reporté au 20 août
小明住在北京 | 小明搬到上海
""")
DENIED = pairs("""
Wir nutzen Docker | Wir nutzen kein Docker
Usamos Docker | No usamos Docker
Nous utilisons Docker | Nous n'utilisons pas Docker
我喜欢爵士 | 我不喜欢爵士
""")
KEPT = pairs("""
Adas Chef ist Bob | Adas Chef ist krank
Ada spricht Deutsch | Ada spricht Polnisch
Wir liefern nach Deutschland | Wir liefern nach Frankreich
Ada ist Ärztin | Ada ist jetzt Mutter
Ada hat 2 Kinder | Ada hat 3 Katzen
Adam wohnt in Bonn | Adams wohnt in Bonn
Ana habla alemán | Ana habla polaco
El jefe de Ana es Bob | El jefe de Ana es alto
Enviamos a Alemania | Enviamos a Francia
Anne parle allemand | Anne parle polonais
Le chef d'Anne est Bob | Le chef d'Anne est malade
L'équipe utilise Jira | L'équipe utilise Miro
小明会说德语 | 小明会说法语
小明的老板是小红 | 小明的老板是病人
""")
SAME = pairs("""
Der Server läuft auf Port 8080 | der Server läuft auf Port 8080.
Wir nutzen die Datenbank Postgres | Wir verwenden die DB Postgres
""")

# Languages without a file: nothing is decided, whatever the similarity.
UNKNOWN = pairs("""
Мы используем Docker | Мы не используем Docker
Мы используем Docker | Мы больше не используем Docker
نحن نستخدم دوكر | نحن لا نستخدم دوكر
私は寿司が好きです | 私は寿司が好きではない
Порт сервера 8080 | Порт сервера 9090
우리는 도커를 사용한다 | 우리는 도커를 사용하지 않는다
""")


@pytest.mark.parametrize(("old", "new"), SUPERSEDED)
def test_an_announced_change_supersedes(old: str, new: str) -> None:
    assert compare(old, new, 0.9).relation == "changed"


@pytest.mark.parametrize(("old", "new"), TOLD)
def test_what_may_have_changed_is_told(old: str, new: str) -> None:
    assert compare(old, new, 0.9).relation in ("contradicts", "related")


@pytest.mark.parametrize(("old", "new"), DENIED)
def test_a_denial_is_noticed(old: str, new: str) -> None:
    assert compare(old, new, 0.99).relation in ("changed", "contradicts")


@pytest.mark.parametrize(("old", "new"), KEPT)
@pytest.mark.parametrize("similarity", [0.5, 0.99])
def test_what_stays_true_is_neither_hidden_nor_merged(old: str, new: str, similarity: float) -> None:
    assert compare(old, new, similarity).relation not in ("changed", "same")


@pytest.mark.parametrize(("old", "new"), SAME)
def test_the_same_in_other_words_is_the_same(old: str, new: str) -> None:
    assert compare(old, new, 0.95).relation == "same"


@pytest.mark.parametrize(("old", "new"), UNKNOWN)
@pytest.mark.parametrize("similarity", [0.5, 0.99])
def test_in_a_language_without_a_file_the_rules_decide_nothing(old: str, new: str, similarity: float) -> None:
    assert language_of(old) is None
    assert compare(old, new, similarity).relation == "different"


def test_every_file_has_the_lists_that_show_a_language_and_hide_nothing_by_accident() -> None:
    assert set(languages()) >= {"de", "en", "es", "fr", "zh"}
    for one in languages().values():
        assert one.listed("words", "negations") and one.listed("change", "now") and one.announcing is not None
        assert one.measures and one.many and not one.many & one.one, one.name
