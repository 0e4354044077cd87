"""The turns of phrase of declining: what can't, won't or mayn't be done, what failed, what isn't there."""

from __future__ import annotations

from action_classifier.extended.signs import CueTable, Kind, cue, spellings

_ADVERBS = r"(?:(?:also|currently|really|just|simply|now|still|even|yet|only|either|[a-z]+ly) ){0,3}"
_AGENT = (
    r"(?:i|we|i'm|we're|our \w+(?: \w+)?|the (?:system|policy|policies|rules|tools?|api|functions?|airline|store"
    r"|platform"
    r"|environment|assistant|(?:available|provided|current) \w+)|my \w+(?: \w+)?"
    r"|this (?:system|tool|function|api|platform|environment|assistant|airline)|none of|nothing),? (?:_\S* )?"
)
_SEEING = (
    r"(?!(?: \w+ly)? ?(?:find|see|locate|tell|identify|detect|spot|wait|stress|thank|help but|emphasi[sz]e|recommend"
    r"|imagine"
    r"|say (?:for|with)|guarantee|promise|confirm)\b)"
)
CANNOT = r"(?:can(?:'t|not| not)|cant)"
_MEANS = (
    r"(?:function(?:ality|s)?|tools?|access|ability|abilities|capabilit(?:y|ies)|permissions?|means|way|method|option"
    r"|command"
    r"|feature|authority|authori[sz]ation|utility|api|rights?|endpoint|integration|interface|mechanism|facility"
    r"|workaround"
    r"|possibility)\b(?!-)(?! (?:in common|bar|bars|kit|tip|calls?|changes?|was|were))"
)
_MEANS_WORDS = (
    "function functionality functions tool tools access ability abilities capability capabilities permission"
    " permissions"
    " means way method option command feature authority authorization authorisation utility api right rights endpoint"
    " integration interface mechanism facility workaround possibility"
)
_NOT = (
    r"(?:(?:is|are|was|were|be)(?: currently| simply| also| still)?(?: not|n't)|(?:do|does|did|has|have|wo"
    r"|would)n't|not)"
)
_ALLOWED = (
    r"(?:able|allowed|permitted|authori[sz]ed|equipped|programmed|designed|capable|in a position|going to"
    r"|qualified|licensed)\b"
)

_REFUSALS = (
    cue(
        "inability",
        Kind.REFUSAL,
        "can't cannot cant won't wont not unable nope think believe",
        rf"{_AGENT}{_ADVERBS}(?:{CANNOT}|won't|will not|wont|unable to|(?:am|are) unable to){_SEEING}",
        r"(?:i'm|we're) (?:\w+ly )?unable to" + _SEEING,
        rf"(?:i|we)(?:'m|'re)? [^,;]{{1,80}} and (?:also |so |therefore )?(?:{CANNOT}|won't|will not)" + _SEEING,
        rf"^(?:nope|no|sorry|unfortunately|apologies),? (?:but )?(?:i |we )?(?:{CANNOT}|won't|unable)\b",
        r"(?:don't|do not) (?:think|believe) (?:that )?(?:i|we|it's|this is|that's|it is)(?: can| could| am able"
        r"| are able"
        r"| possible)\b",
        rf"^(?:{CANNOT}|unable to|not able to)\b(?! (?:wait|find|see|locate))",
    ),
    cue(
        "not_able",
        Kind.REFUSAL,
        "able allowed permitted authorized authorised equipped programmed designed capable position going qualified"
        " licensed",
        rf"(?:{_AGENT}|i'm |we're |i'll |we'll )(?:\w+ ){{0,2}}(?:\w+n't|not) (?:currently |yet "
        rf"|really )?(?:be )?{_ALLOWED}",
    ),
    cue(
        "restricted",
        Kind.REFUSAL,
        "restricted prohibited prevented barred forbidden limited decline refuse afraid",
        r"(?:am|i'm|are|we're) (?:restricted|prohibited|prevented|barred|forbidden) from",
        r"(?:i'm|i am|we're|we are) (?:limited|restricted) to\b",
        r"(?:i|we)(?:'ll)? (?:must|have to|need to|will) (?:\w+ly )?(?:decline|refuse)"
        r"|going to (?:have to )?(?:decline|refuse)\b",
        r"i(?:'m| am) afraid .{0,80}(?:\bno\b|not\b|n't\b|unable|cannot|closed|expired|only|impossible|too late|past)",
    ),
    cue(
        "not_done_here",
        Kind.REFUSAL,
        "allow permit support handle offer cover accept ship provide issue serve process share deal engage make match"
        " include",
        rf"{_AGENT}{_ADVERBS}(?:do not|don't|doesn't|does not|no longer) {_ADVERBS}(?:directly )?(?:allow|permit"
        rf"|support|handle|offer"
        r"|cover|accept|ship|provide|issue|serve|process|share|deal|engage|make exceptions|match|include)\b",
        r"(?:do not|don't|doesn't|does not) (?:currently )?(?:allow|permit)\b",
    ),
    cue(
        "we_do_not",
        Kind.REFUSAL,
        "we have",
        r"we (?:do not|don't) (?:\w+ly )?(?!know|see|have|need|want|think|believe|understand|recommend|mind"
        r"|expect|require|\w+ly )"
        r"\w+",
        r"(?:i|we) (?:do not|don't|didn't) have(?:\Z| (?:it|them|that|those|this)\b)",
    ),
    cue(
        "no_means",
        Kind.REFUSAL,
        _MEANS_WORDS,
        r"(?:do not|don't|does not|doesn't|didn't|no longer|not|haven't|hasn't) (?:(?:currently|presently|actually|yet"
        r"|really"
        r"|directly|also) )?"
        r"(?:have|got|possess|include|offer|provide|come with|contain|see|find|feature) (?:(?:a|an|any|the|such|or) )?"
        rf"(?:[\w-]+ ){{0,4}}?(?:_\S* )?{_MEANS}",
        r"there (?:isn't|aren't|is not|are not) (?:a|an|any) (?:[\w-]+ ){0,3}?" + _MEANS,
        rf"(?:couldn't|could not|{CANNOT}|unable to) find (?:a|an|any) (?:\w+ ){{0,2}}?" + _MEANS,
        r"(?:is|there's|have|see|i've|has|with|had|are|offers?|provides?|gives?|exposes?|includes?"
        r"|contains?)(?: currently"
        r"| also| simply)? no (?:[\w-]+ ){0,3}?(?:_\S* )?" + _MEANS,
        r"lack(?:s|ing)? (?:of )?(?:[\w-]+ ){0,4}?" + _MEANS,
        r"without (?:a|an|the|any) (?:\w+ ){0,3}?(?:function|tool|utility|command|capability)\b",
    ),
    cue(
        "no_tool",
        Kind.REFUSAL,
        "function functions tool tools toolset toolbox api apis capabilities commands options command",
        r"(?:none|neither|nothing|not any|no) (?:of |in |among )?(?:the |my |these |those |our )?(?:\w+ ){0,2}?"
        r"(?:functions?|tools?|toolset|toolbox|apis?|capabilities|commands?|options)\b"
        r"(?!-)(?! (?:is|are|was|were|call|calls)? ?(?:needed|required|necessary|changed|modified|added|removed|called"
        r"|used))"
        r"(?! (?:in common|bar|bars|kit|tip)\b)",
    ),
    cue(
        "tool_unavailable",
        Kind.REFUSAL,
        "available provided included supported present accessible implemented part among listed unavailable"
        " unsupported missing"
        " disabled enabled given granted equipped",
        r"(?:function|tool|command|feature|capability|service|option|_)[a-z]{0,6}(?: \w+){0,6}?"
        r" (?:is|are)(?: currently)?(?:(?: not|n't) (?:available|provided|included|supported|present|accessible"
        r"|implemented"
        r"|part of|among|listed)| (?:unavailable|unsupported|missing|disabled))\b",
        r"(?:hasn't|haven't|has not|have not|not|never) been (?:made available|provided|given|granted|enabled"
        r"|equipped)",
    ),
    cue(
        "not_mine",
        Kind.REFUSAL,
        "none something anything one among part within i'm i my things functions tools feature features scope only",
        r"(?:isn't|aren't|is not|are not|not) (?:(?:something|anything|a \w+|one|among|part of|within"
        r"|in)(?: of)?(?: the)? ?)"
        r"{1,3}(?:that )?(?:i|we|my|our|things|functions|tools|features?|capabilit\w+|scope)\b",
        r"i only (?:handle|have|support|deal|cover|work)\b|i (?:can|could) only (?:help|assist|offer|process|handle|do"
        r"|provide)\b",
        r"none (?:is|are|of them)\b.{0,20}\b(?:available|provided|offered|given|possible|included)\b",
        r"(?:isn't|aren't|is not|are not|not) (?:something|anything|a thing)\b.{1,40}\b(?:can|could|able|allows?"
        r"|permits?"
        r"|supports?|offers?|exposes?|covers?|handles?|provides?|includes?|does?|lets?)\b",
    ),
    cue(
        "handled_elsewhere",
        Kind.REFUSAL,
        "handled managed processed controlled decided",
        r"(?:handled|managed|processed|controlled|decided) (?:\w+ )?by (?:another|a different"
        r"|.{1,40}\bnot (?:by )?(?:us|me))\b",
    ),
    cue(
        "beyond_me",
        Kind.REFUSAL,
        "out beyond outside above",
        r"(?:out of|beyond|outside|above)(?: of)? (?:my|our) \w+",
    ),
    cue(
        "nothing_helps",
        Kind.REFUSAL,
        "nothing none",
        r"(?:nothing|none)\b.{0,40}\b(?:that |which |to )?(?:would|will|can|could|might|lets?|allows?|permits?"
        r"|enables?) "
        r"(?:let|allow|permit|enable|help|do|make|me|us|you|handle|support|perform|undo)\b",
        r"none of (?:them|these|those|which|the \w+) (?:can|could|will|would|supports?|allows?|handles?|offers?"
        r"|covers?|does|do"
        r"|lets?|works?|provides?)\b|but (?:nothing|none) (?:for|to)\b",
    ),
    cue(
        "conditions_unmet",
        Kind.REFUSAL,
        "met meet meets apply applies satisfied satisfy satisfies fulfilled hold holds",
        r"(?:none|neither|not one|not any)\b.{0,60}\b(?:met|apply|applies|satisfied|fulfilled|holds?|meets?|satisf(?:y"
        r"|ies))"
        r"\b",
        r"(?:do|does|did|is|are|was|were)(?: not|n't)(?: currently)? (?:meet|satisfy|met|satisfied|fulfilled)\b",
    ),
    cue(
        "passive_inability",
        Kind.OBSTACLE,
        "be longer only",
        rf"(?:{CANNOT}|won't|will not|could not|couldn't|may not|must not|not able to|unable to"
        rf"|no longer)(?: \w+ly)? be"
        r"(?: \w+){0,2} ?(?!undone|reversed|recovered|reverted|restored)\w+",
        r"(?:can|may) no longer\b|(?:no|neither|none)\b[^,;]{1,50} can(?: now)? be (?!found)\w+",
        r"(?:can|may|is|are)(?: be)? only (?:be )?(?:possible|available|permitted|allowed|provided|offered|granted"
        r"|issued"
        r"|given|done|made|processed|purchased|added|requested)\b",
        r"only (?:possible|available|permitted|allowed|provided|offered) (?:if|when|for|within|to|before|at|during)\b",
    ),
    cue(
        "not_allowed",
        Kind.REFUSAL,
        "possible permitted allowed permissible supported feasible eligible refundable authorized authorised offered"
        " covered"
        " accessible visible implemented exposed refunded returned available removed retired discontinued deprecated"
        " option doable cancellable cancelable changeable modifiable valid impossible ineligible prohibited"
        " disallowed forbidden"
        " nonrefundable non unsupported",
        rf"{_NOT}(?: \w+ly| yet| an?| something){{0,2}} (?:possible|permitted|allowed|permissible|supported|feasible"
        rf"|eligible"
        r"|refundable|authori[sz]ed|offered|covered by|an option|doable|cancell?able|changeable|modifiable"
        r"|valid for|implemented|exposed)\b",
        r"(?:is|are)(?: not|n't) (?:available|accessible|visible) to (?:me|us)\b",
        r"nothing (?:is|can be|will be) (?:refunded|returned|permitted|possible|available|allowed)\b",
        r"(?:feature|function|tool|option|command|endpoint|service)\b.{0,20}\b(?:was|has been|is|were"
        r"|are) (?:removed from"
        r"|retired|discontinued|deprecated)\b",
        r"(?:impossible|ineligible|prohibited|disallowed|forbidden|non-?\w{3,12}able|unsupported)\b",
    ),
    cue(
        "against_rules",
        Kind.REFUSAL,
        "policy policies rule rules guidelines privacy terms regulations qualify exceptions exception refund refunds"
        " exchange"
        " exchanges cancellation cancellations changes returns return compensation",
        r"(?:against|violat\w+|breach\w*|contrary to|not in line with)(?: \w+){0,3} (?:policy|policies|rules?"
        r"|guidelines"
        r"|privacy|terms|regulations)\b",
        r"(?:(?:do|does)n't|not) qualify\b|no exceptions?\b|no (?:refund|exchange|cancellation|change|return"
        r"|exception|compensation)s?"
        r" (?:is|are|can|will|may)\b",
    ),
    cue(
        "out_of_scope",
        Kind.REFUSAL,
        "insufficient enough outside beyond within exceeds falls denied declined rejected help something regret work",
        r"(?:outside|beyond|not within|exceeds)(?: of)? (?:the |my |our |what )(?:\w+ )?(?:scope|capabilit|abilit"
        r"|authority"
        r"|i\b|i'm|we\b|control|reach|remit|limit)|(?:request|this) (?:is|falls) outside\b",
        r"(?:request|claim|application)\b.{0,40}\b(?:has been|was|is) (?:denied|declined|rejected)\b|access denied\b",
        r"insufficient (?:for|to)\b|not (?:have )?enough (?:information|functions|tools|data) to\b",
        rf"(?:{CANNOT}|won't) (?:help|work)\b|(?:isn't|is not) something (?:i|we)\b|regret to inform\b",
    ),
    cue(
        "idiom",
        Kind.REFUSAL,
        "comfortable willing prepared going table question hands cards let up offer down blocked read-only precluded"
        " out off limits option do wish read",
        r"(?:is|are|was|were)(?: not|n't) (?:on the table|on offer|in the cards|on the cards|up to (?:me|us))\b",
        r"(?:i'm|i am|we're|we are) not (?:comfortable|willing|prepared|going) (?:with|to)\b",
        r"(?:off the table|out of the question|out of my hands|no can do|not an option|blocked by)\b",
        r"(?:hands are tied|wish (?:i|we) could|read-only|(?:ruled|rules) out|precluded|off[- ]limits)\b",
        r"turn (?:this|that|it|you|your request) down\b|nothing (?:else |more |further )?(?:that )?(?:i|we) can do\b",
        rf"{_AGENT}{_ADVERBS}(?:won't|will not|doesn't|does not) let\b",
    ),
    cue(
        "willing_but",
        Kind.REFUSAL,
        "love like loved liked much",
        r"(?:i|we)(?:'d| would) (?:really |gladly )?(?:love|like|have (?:loved|liked))\b.{1,80}\bbut\b|as much as (?:i"
        r"|we)(?:'d"
        r"| would)\b",
    ),
    cue(
        "only_others",
        Kind.REFUSAL,
        "only most best furthest all",
        r"(?:\A|(?<=[:;,] ))only (?:the |an? |your )?[\w -]{1,40} (?:can|may|is allowed|are allowed)\b",
        r"(?:the (?:most|best|only thing|furthest)|all)(?: that)? (?:i|we)(?:'m able to|'re able to| can| could) (?:do"
        r"|offer"
        r"|give|provide)\b",
    ),
    cue(
        "narrow",
        Kind.CAUTION,
        "only limited restricted reserved nothing",
        r"(?:the|my|our|this|these) (?:[\w-]+ ){1,3}only (?:covers?|supports?|handles?|accepts?|works?|includes?"
        r"|offers?"
        r"|allows?|permits?|applies|apply)\b",
        r"(?:is|are) (?:limited to|restricted to|reserved for)\b",
        r"nothing (?:for (?:me|us) |left |here |there )?to (?:cancel|delete|remove|move|undo|change|refund|send|update"
        r"|close"
        r"|copy|sort|compare|unlock|book|modify|return)\b",
    ),
    cue(
        "could_not_be_done",
        Kind.OBSTACLE,
        "could couldn't",
        r"could(?: not|n't) be (?:completed|done|processed|renamed|performed|executed|fulfilled)\b",
    ),
)
_FAILURES = (
    cue(
        "failure",
        Kind.FAILURE,
        "couldn't could able unable failed work succeed go complete unsuccessful successful rejected unavailable error"
        " placed sent"
        " saved created deleted removed moved completed processed posted updated executed performed applied copied"
        " renamed keep"
        " keeps",
        r"(?:is|was|were|been) (?:unsuccessful|not successful|rejected)\b|an error (?:occurred|prevented)\b",
        r"(?:is|are|was|were)(?: currently)? unavailable\b",
        r"(?:(?:could not|couldn't|(?:was|were)(?: not|n't) able to)(?! (?:find|locate|see))|(?:was"
        r"|were) unable to(?! (?:find|locate|see))|ha(?:ve|s)(?: not|n't) been able to"
        r"|failed to|did(?: not|n't) (?:work|succeed|go through|complete))\b|(?:has |have )?failed\b",
        r"unable to (?:retrieve|identify|verify|confirm)\b",
        r"(?:was|were)(?: not|n't) (?:placed|sent|saved|created|deleted|removed|moved|completed|processed|posted"
        r"|updated"
        r"|executed|performed|applied|copied|renamed)\b",
        r"keeps? (?:rejecting|failing|refusing|returning|timing|crashing|throwing)\b",
    ),
    cue(
        "absence",
        Kind.FAILURE,
        "record trace sign exist exists found recognized recognised contain available",
        r"(?:does not|doesn't|do not|don't|did not) exist\b|(?:was|were|is|are|be) not (?:found|recogni[sz]ed)\b"
        r"|does not contain\b",
        r"(?:have|see|find|is|there's) no (?:record|trace|sign) of\b",
        r"no (?:such|directory|file|folder|user|booking|record)\b.{0,40}\b(?:exists?|found)\b",
        r"(?:is|are|was|were)(?: not|n't) (?:currently )?available (?:in|for|on|at|from)\b",
    ),
    cue(
        "not_seen",
        Kind.ABSENCE,
        "find locate see",
        rf"(?:{CANNOT}|couldn't|could not|(?:was|were|is|are|still)? ?(?:unable|not able) to) (?:find|locate|see)\b",
    ),
)
_REGRETS = (
    cue(
        "regret",
        Kind.REFUSAL,
        "unfortunately regrettably sorry apologize apologise apologies sadly regret",
        r"(?:unfortunately|regrettably|(?:sorry|apologi[sz]e|apologies),? but|sadly|i regret)\b.{0,300}?\b(?:no|not"
        r"|none|never"
        r"|neither|nothing|only|already|unable|cannot|unavailable|expired|closed|ended|past|too late|final sale"
        r"|outside|without"
        r"|\w+n't)\b",
    ),
)

_LAMENTS = (
    cue(
        "lament",
        Kind.CAUTION,
        "unfortunately regrettably sadly sorry apologies afraid",
        r"\A(?:but |however,? )?(?:unfortunately|regrettably|sadly)\b(?!, i|, we)",
        r"\A(?:(?:my|our|i'm|i am|we're|we are) )?(?:so |very |really |truly )?(?:sorry|apologies|afraid),? but\b",
    ),
)
"""Where no word says what can't be done, this much does, if nothing else is said."""

_NEGATIVES = (
    "cannot can't cant not no nor none neither nothing unable won't wont couldn't don't doesn't didn't isn't aren't"
    " wasn't"
    " weren't hasn't haven't impossible unavailable unsupported ineligible unfortunately regrettably sorry apologize"
    " apologise"
    " apologies afraid sadly regret decline declined denied refuse rejected beyond outside lack lacks lacking without"
    " only"
    " restricted prohibited prevented barred forbidden disallowed violate violates violating breach breaches against"
    " contrary"
    " nope failed unsuccessful limited refundable nonrefundable never error missing disabled handled exceeds blocked"
    " non off down out but hands read keep keeps most best all much removed retired discontinued deprecated"
)
_NEGATIONS = spellings(_NEGATIVES)
"""A sentence without any of these words declines nothing."""

REFUSAL_CUES = CueTable((*_REFUSALS, *_FAILURES, *_REGRETS, *_LAMENTS), needs=_NEGATIONS)
