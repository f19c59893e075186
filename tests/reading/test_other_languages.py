"""Documents that are not in English: found, cut and quoted, though the grammar and the models are English."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyhop.documents.languages import is_english
from polyhop.documents.sentences import sentence_spans
from polyhop.engine import Polyhop
from polyhop.indexes.folding import tokens
from polyhop.indexes.lexical import Lexical, build
from polyhop.layers.facts.syntax.facts import facts_of
from polyhop.layers.parsekg.layer import ParseKGLayer, parse_of
from polyhop.layers.questions.rules.passages import questions_of
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.types import Fact, GeneratedQuestion, Passage

# One small text in each language: a title, what is said of it, and a question that a reader may ask.
TEXTS = {
    "German": (
        "Tjarkshorn",
        "Tjarkshorn ist ein Hafen. Sein Leuchtturm wurde 1841 von Imke Brandis gebaut. Am 3. März brannte er.",
        "Wer baute den Leuchtturm von Tjarkshorn?",
    ),
    "French": (
        "Port-Brézelle",
        "Port-Brézelle est un port sur la côte. Son phare fut construit en 1841 par Aude Lanvoy. Il a brûlé deux fois.",
        "Qui a construit le phare de Port-Brézelle ?",
    ),
    "Spanish": (
        "Calahonda",
        "Calahonda es un puerto de la costa. ¿Y su faro? Fue construido en 1841 por Inés Robredal.",
        "¿Quién construyó el faro de Calahonda?",
    ),
    "Russian": (
        "Талица",
        "Талица стоит на берегу моря. Её маяк построила в 1841 г. инженер А. П. Ветрова. «Он цел.» Так говорят.",
        "Кто построил маяк в городе Талица?",
    ),
    "Chinese": (
        "白鹭港",
        "白鹭港是海边的一座小镇。镇上的灯塔由顾晚晴于1841年建造。“灯塔还在！”渔民说。",
        "白鹭港的灯塔是谁建造的？",
    ),
    "Japanese": (
        "鷺浜",
        "鷺浜は海辺の町である。灯台は1841年に小泉あやめが建てた。「まだある。」と漁師は言う。",
        "鷺浜の灯台は誰が建てましたか？",
    ),
    "Arabic": (
        "مرسى اللؤلؤ",
        "مرسى اللؤلؤ بلدة على الساحل. بنت منارتها ليلى الصواف عام 1841. هل ما زالت قائمة؟ نعم.",
        "من بنى منارة مرسى اللؤلؤ؟",
    ),
    "Korean": (
        "갈매항",
        "갈매항은 바닷가의 작은 마을이다. 등대는 1841년에 윤서진이 지었다.",
        "갈매항의 등대는 누가 지었나요?",
    ),
}
LANGUAGES = sorted(TEXTS)
ENGLISH = "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841."


def passage(text: str, title: str = "") -> Passage:
    return Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text)


def asked(text: str, title: str, models: Models, most: int = 20) -> list[GeneratedQuestion]:
    one = passage(text, title)
    [rows] = ParseKGLayer().extract([one], models, {})
    assert isinstance(rows, bytes)
    return questions_of(one, parse_of(rows), most=most)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_in_another_language_is_told(language: str) -> None:
    """By its script, or by its commonest words."""
    assert not is_english(TEXTS[language][1])


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "",
        "1841",
        "Thanks!",
        "Ada Brisk, Fennick",
        "His last film was called Die Stadt und das Meer, and Le Phare came after it.",
        "Sounds good, see you at nine then 😀",
        "María de la Cruz Peñalosa sang in Vöhrsum and São Belmiro.",
    ],
)
def test_what_may_be_english_is_read_as_english(text: str) -> None:
    """Foreign names and titles, short messages and numbers do not tell another language."""
    assert is_english(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_languages_are_quoted_and_not_asked_in_english(language: str, models: Models) -> None:
    """Each sentence is an answer, behind its own beginning; no English word is put into its mouth."""
    title, text, _ = TEXTS[language]
    found = asked(text, title, models)
    cut = sentences(text)
    assert len(found) == len(cut)
    assert all(one.answer in sentence for one, sentence in zip(found, cut, strict=True)), "but for quotation marks"
    assert all(text[one.start : one.end] == one.answer for one in found)
    said = set(tokens(f"{title} {text}"))
    assert all(len(set(tokens(one.question)) - said) <= 1 for one in found), "a pair of characters may be cut in two"
    assert len({one.question for one in found}) == len(found)


def test_a_long_passage_keeps_all_its_sentences(models: Models) -> None:
    """Neighbours share a pair where there are more sentences than pairs; what has no end mark is cut between words."""
    text = " ".join(f"Das Haus Nummer {number} gehört der Familie von Imke." for number in range(60))
    found = asked(text, "Tjarkshorn", models, most=7)
    assert len(found) == 7
    assert (found[0].start, found[-1].end) == (0, len(text))
    assert all(not text[one.end : two.start].strip() for one, two in pairwise(found))
    endless = asked("ประภาคารสร้างโดยอาดา " * 60, "", models)
    assert len(endless) > 2
    assert max(len(one.answer) for one in endless) <= 400


def test_english_around_a_foreign_sentence_is_asked_as_ever(models: Models) -> None:
    """Only what is in another language is quoted."""
    foreign = "Der Turm ist nicht mehr da, und das Licht wird auch nicht mehr gebraucht."
    plain = {one.question: one.answer for one in asked(ENGLISH, "Quillmouth", models)}
    mixed = {one.question: one.answer for one in asked(f"{ENGLISH} {foreign}", "Quillmouth", models)}
    assert plain.items() <= mixed.items()
    assert [answer for question, answer in mixed.items() if question not in plain] == [foreign]


@pytest.mark.parametrize(
    ("chat", "heads"),
    [
        (
            "12.03.31, 10:03 - Imke: Wann kommt die Fähre?\n12.03.31, 10:05 - Jörn: Um halb sieben, ich hole dich ab.",
            ["Imke, 12.03.31, 10:03: Wann kommt", "Jörn, 12.03.31, 10:05: Um halb sieben"],
        ),
        (
            "顾晚晴：渡轮什么时候到？\n周远：六点半，我去接你。\n顾晚晴：太好了，明天见！",
            ["顾晚晴: 渡轮", "周远: 六点半", "顾晚晴: 太好了"],
        ),
    ],
)
def test_turns_in_another_language_are_quoted_with_who_says_them(chat: str, heads: list[str], models: Models) -> None:
    """And with when, where it is written."""
    found = asked(chat, "", models)
    assert len(found) == len(heads)
    assert all(one.question.startswith(head) for one, head in zip(found, heads, strict=True))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Am 3. März 1887 kam er. Es gab z. B. Brot. Der 2. Damm brach.", 3),
        ("»Nein.« Dann schwieg er. „Ja.“ Ende.", 4),
        ("В 1841 г. по проекту А. П. Ветровой. Город г. Талица мал. «Он цел.» Так говорят.", 4),
        ("¿Y su faro? Fue construido. ¡Se salvó!", 3),
        ("「行く。」と言った。「本当に！？」次の日、晴れた。", 3),
        ("他说：“我去。”然后走了。真的？！是的。", 4),
        ("速度は３．５である．次に移る．", 2),
        ("هل ما زالت قائمة؟ نعم. انتهى.", 3),
        ("وہ گیا۔ ٹھیک ہے۔", 2),
        ("I am 12. My brother is 9. J. Smith came, too.", 3),
    ],
)
def test_sentences_end_in_all_scripts(text: str, parts: int) -> None:
    """With what closes after the mark; not behind initials, short forms and ordinals."""
    found = sentences(text)
    assert len(found) == parts
    assert "".join("".join(found).split()) == "".join(text.split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_a_question_find_their_text(language: str) -> None:
    """BM25 finds the right one of all these texts, in each script."""
    texts = [f"{TEXTS[one][0]} {TEXTS[one][1]}" for one in LANGUAGES]
    numbers = np.arange(len(texts), dtype=np.int64)
    index = Lexical.of([build(numbers, texts)], numbers)
    found, _ = index.search(TEXTS[language][2], 1)
    assert LANGUAGES[int(found[0])] == language


def test_spellings_of_a_word_are_one_term() -> None:
    """Case, accents, vowel signs, full width and combining marks fold; vowels of another sound do not."""
    assert tokens("Straße Ёлка L’Été") == tokens("STRASSE елка l'E\u0301te\u0301")
    assert tokens("ＡＢＣ１２３ ﾊﾝｶｸ") == tokens("abc123 ハンカク")
    assert tokens("مُحَمَّد أحمد") == tokens("محمد احمد")
    assert tokens("かき") != tokens("がき")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_facts_are_made_of_other_languages(language: str, models: Models) -> None:
    """The parser finds verbs where none are; an English sentence among them is read all the same."""
    title, text, _ = TEXTS[language]
    english = "It was painted by Otto Vane, and the children of the town were there with him."

    def facts(said: str) -> list[Fact]:
        one = passage(said, title)
        [rows] = ParseKGLayer().extract([one], models, {})
        assert isinstance(rows, bytes)
        return facts_of(one, parse_of(rows))

    assert not facts(text)
    assert {fact.tail for fact in facts(f"{text} {text} {english}")} <= {"Otto Vane", "town"}


def test_a_foreign_title_hides_no_facts(models: Models) -> None:
    """What a text is about may be called anything."""
    one = passage("Le Chat et le Lundi is a film by Otto Vane.", "Le Chat et le Lundi")
    [rows] = ParseKGLayer().extract([one], models, {})
    assert isinstance(rows, bytes)
    assert "Otto Vane" in {fact.tail for fact in facts_of(one, parse_of(rows))}


@pytest.mark.parametrize("strategy", ["pagerank", "c2rag", "hybrid", "paths"])
def test_strategies_work_without_facts(strategy: str, tmp_path: Path) -> None:
    """Where nothing states any, passages are found all the same."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for language in ("Chinese", "Japanese", "Russian"):
        title, text, _ = TEXTS[language]
        (docs / f"{language}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    with Polyhop(tmp_path / "all.index") as engine:
        engine.index(docs, layers=("text", "parsekg", "facts"), workers=1)
        title, _, question = TEXTS["Chinese"]
        answer = engine.ask(question, strategy=strategy)
        assert title in [one.title for one in answer.evidence.passages][:1]
        assert answer.text == "顾晚晴"


def test_passages_are_found_by_what_is_quoted_of_them(tmp_path: Path) -> None:
    """Offsets count characters, beyond the basic plane and between combining marks, too."""
    docs = tmp_path / "docs"
    docs.mkdir()
    rows = [{"id": name, "title": title, "text": f"𠮷 e\u0301 {text}"} for name, (title, text, _) in TEXTS.items()]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (docs / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    texts = {str(row["title"]): str(row["text"]) for row in rows}
    settings = Settings.from_mapping({"strategies": {"qcg": {"answerable": None, "hops": 0}}})
    with Polyhop(tmp_path / "all.index", settings=settings) as engine:
        engine.index(docs, layers=("text", "questions"), workers=1)
        for title, _, question in TEXTS.values():
            evidence = engine.search(question, strategy="qcg")
            assert evidence.passages[0].title == title
            for hop in evidence.hops:
                for one in hop.questions:
                    assert any(text[one.span.start : one.span.end] == one.answer for text in texts.values())
