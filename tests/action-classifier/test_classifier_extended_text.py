"""What a text does, by ruleset extended: each failure of ruleset paper that is known, as a test."""

from __future__ import annotations

import pytest

from action_classifier import Action, classify, explain, labels

CASES = (
    ("I can't continue yet. Which folder should I use?", Action.ASK),
    ("Let me know which folder to use.", Action.ASK),
    ("请问您想预订哪一天的航班？", Action.ASK),
    ("ما هو رقم الحجز الخاص بك؟", Action.ASK),
    ("Please provide:\n- your name\n- your date of birth", Action.ASK),
    ('The log says "I can\'t open the file". It has 3 lines.', Action.OTHER),
    ("He wrote: “I cannot come”.", Action.OTHER),
    ("This cannot be undone; all done.", Action.CONFIRM),
    ("There is no functional difference between the two files.", Action.OTHER),
    ("I don't have a function for sorting.", Action.REFUSE),
    ("I won't be able to sort the file.", Action.REFUSE),
    ("I can not sort the file.", Action.REFUSE),
    ("I cant sort the file.", Action.REFUSE),
    ("I can`t sort the file.", Action.REFUSE),
    ("I can′t sort the file.", Action.REFUSE),
    ("I can’t sort the file.", Action.REFUSE),
    ("See https://example.com/search?q=a for it.", Action.OTHER),
    ("The page is https://example.com/a?", Action.OTHER),
    ("The file what?.txt is empty.", Action.OTHER),
    ("The file 'Is it ready?' holds 3 lines.", Action.OTHER),
    ("The expression `a ? b : c` picks one.", Action.OTHER),
    ("The script:\n```\nread -p 'Continue? ' x\n```", Action.OTHER),
    ("<think>Which folder does he mean?</think>The folder holds 3 files.", Action.OTHER),
    ("<think>Which folder does he mean?", Action.OTHER),
    ("Which folder does he mean?</think>Done.", Action.CONFIRM),
    ("<|channel|>analysis<|message|>Which?<|end|><|start|>assistant<|channel|>final<|message|>Done.", Action.CONFIRM),
    ("[THINK]Which?[/THINK]I moved the file.", Action.CONFIRM),
    ("◁think▷Which?◁/think▷I moved the file.", Action.CONFIRM),
    ("All done! Is there anything else?", Action.CONFIRM),
    ("Done.", Action.CONFIRM),
    ("Your order has been placed.", Action.CONFIRM),
    ("This is a small set of files.", Action.OTHER),
    ("The install settings are in config.toml.", Action.OTHER),
    ("The task completely failed.", Action.REFUSE),
    ("Not everything is done.", Action.OTHER),
    ("I will list all tasks.", Action.OTHER),
    ("Once the file has been moved, I will rename it.", Action.OTHER),
    ("Hello! How can I help you today?", Action.OTHER),
    ("The flight costs $120. Would you like me to check other dates?", Action.OTHER),
    ("I've booked the flight. Would you like me to add a hotel?", Action.CONFIRM),
    ("I can't add a hotel here. Would you like me to transfer you to a human agent?", Action.REFUSE),
    ("The first attempt failed, but the second one worked and the mail was sent.", Action.CONFIRM),
    ("If you wanted a refund, I could not give one.", Action.REFUSE),
    ("Bitte geben Sie Ihre Bestellnummer an.", Action.ASK),
    ("No puedo cancelar la reserva.", Action.REFUSE),
    ("Votre commande a été annulée.", Action.CONFIRM),
    ("ファイルを移動しました。", Action.CONFIRM),
    ("抱歉，我无法取消该订单。", Action.REFUSE),
    ("لا يمكنني إلغاء هذا الحجز.", Action.REFUSE),
    ("La prenotazione è stata annullata.", Action.CONFIRM),
    ("Merci de préciser le dossier.", Action.ASK),
    ("C'est fait ! Autre chose ?", Action.CONFIRM),
    ("Die Datei wurde verschoben.", Action.CONFIRM),
    ("Erledigt.", Action.CONFIRM),
    ("No tengo ninguna función para ordenar archivos.", Action.REFUSE),
    ("全部完成，还有其他需要吗？", Action.CONFIRM),
    ("ليس لدي أداة للفرز.", Action.REFUSE),
    ("The nonstop flight from LAS to DEN on 20 May departs at 9. Please confirm that you would like it.", Action.ASK),
    ("small set", Action.OTHER),
    ("The two have no function in common.", Action.OTHER),
    ("No functions were changed in that commit.", Action.OTHER),
    ("I dont have any way to sort files.", Action.REFUSE),
    ("Im unable to do that.", Action.REFUSE),
    ("I'll not be able to sort it.", Action.REFUSE),
    ("The code is:\n\n    x = a ? b : c\n", Action.OTHER),
    ("~~~\nreally?\n~~~\nis the content.", Action.OTHER),
    ("> I can't do this\n\nThat is what the last line says.", Action.OTHER),
    ("| Flight | Refundable? |\n| HAT1 | no |", Action.OTHER),
    ("Refundable? No. Changeable? Yes, for $50.", Action.OTHER),
    ("## Why did it fail?\n\nThe port was in use.", Action.OTHER),
    ("It was sorted. Would you like me to:\n1. Show more (words, lines, etc.)?\n2. Copy it?", Action.CONFIRM),
    ('The reason is "ordered by mistake." Which card would you like to use?', Action.ASK),
    ("The cheapest way to do it is:\n- outbound changed to May 20\n- cabin upgraded to business", Action.OTHER),
    ("**What was actually paid:** $40", Action.OTHER),
    ("Complete contents of the file: 3 lines.", Action.OTHER),
    ("The order was already cancelled and the refund was issued to your card.", Action.OTHER),
    ("The booking was cancelled; please note that the fee can't be refunded.", Action.CONFIRM),
    ("I've booked the seat. Unfortunately, it cannot be changed later.", Action.CONFIRM),
    ("The file does not exist, so it cannot be removed. A new one was created.", Action.REFUSE),
    ("I can't cancel a booking without its number.", Action.ASK),
    ("I can't issue a refund without a manager.", Action.REFUSE),
    ("I can't refund it. If you believe that's an error, please give me another number.", Action.REFUSE),
    ("Done. Shall I also delete the copy?\nuser\nYes, please do. Which one is it?\n", Action.CONFIRM),
)


@pytest.mark.parametrize(("text", "action"), CASES)
def test_cases(text: str, action: Action) -> None:
    """Each text has the class of its main act."""
    assert classify(text, "extended") is action


@pytest.mark.parametrize(
    ("label", "least"), [(Action.ASK, 0.95), (Action.REFUSE, 0.95), (Action.CONFIRM, 0.93), (Action.OTHER, 0.93)]
)
def test_written_emissions(written_emissions: list[dict[str, str]], label: Action, least: float) -> None:
    """On the emissions that were written for it, the F1 of each class stays where it was."""
    pairs = [(Action(row["label"]), classify(row["text"], "extended")) for row in written_emissions]
    hits = sum(gold is answer is label for gold, answer in pairs)
    assert 2 * hits / (sum(gold is label for gold, _ in pairs) + sum(answer is label for _, answer in pairs)) >= least


@pytest.mark.parametrize(
    ("text", "cue", "rule"),
    [
        ("Fine. I can’t sort it.", "I can’t", "inability"),
        ("<think>Hm?</think>Which one?", "Which one", "question"),
        ("\ufeffPlease provide the order id.", "Please provide", "please_tell"),
        ("I see. Your order has been placed.", "has been placed", "passive_past"),
        ("So: [mv(source='a')]", "[mv(source=", "bracketed_call"),
        ("很抱歉。请提供您的订单号。", "请提供", "chinese_request"),
    ],
)
def test_evidence(text: str, cue: str, rule: str) -> None:
    """Evidence shows the cue as the text has it, its place in the text, and the rule."""
    evidence = explain(text, "extended")
    assert evidence is not None
    assert evidence.span is not None
    assert (evidence.cue, evidence.rule) == (cue, rule)
    assert text[slice(*evidence.span)] == cue


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've moved it. I can't sort it. Which order do you want?", (Action.ASK, Action.REFUSE, Action.CONFIRM)),
        ("I've moved it. Anything else?", (Action.CONFIRM,)),
        ("Sure. I can't sort it yet.\n[mv(source='a')]", (Action.TOOL_CALL, Action.REFUSE)),
        ("The file has 3 lines.", (Action.OTHER,)),
        ("", ()),
    ],
)
def test_labels(text: str, expected: tuple[Action, ...]) -> None:
    """Every class that a text signals, the main act first; a closing signals none."""
    assert labels(text, "extended") == expected


def test_labels_of_ruleset_paper() -> None:
    """Ruleset paper has labels too: all classes of which a cue is there, by its own priority."""
    assert labels("All done. Could you check? I cannot.") == (Action.REFUSE, Action.ASK, Action.CONFIRM)
    assert labels([{"f": "{}"}]) == (Action.TOOL_CALL,)
    assert labels([]) == ()
