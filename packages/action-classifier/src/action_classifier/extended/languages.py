"""Cues of other languages than English: the basic turns of asking, declining, reporting and closing."""

from __future__ import annotations

import re
from typing import NamedTuple

from action_classifier.extended.signs import Kind, Sign


class Language(NamedTuple):
    """The cues of one language, each a pattern over a masked sentence; a word of `words` or a script gives it away.

    A closing offers further help; a refusal declines; a demand asks without a question mark; a completion reports.
    """

    name: str
    closing: str
    refusal: str
    demand: str
    completion: str
    question: str = r"(?!)"


LANGUAGES: tuple[Language, ...] = (
    Language(
        "Chinese",
        r"(?:还有|還有)(?:什么|什麼|其他|别的)|其他(?:需要|问题|需求|可以)|(?:有什么|有什麼|怎么|如何).{0,4}(?:帮助|帮您|帮你|幫您|协助)|随时(?:告诉|联系)",
        r"(?:无法|無法|不能|没办法|沒辦法|不可以|没有权限|無權|不支持|不支援|不允许|未提供)|没有(?:可用|合适|相应|可以|能够|任何|提供).{0,12}(?:工具|函数|功能|方法|权限)|(?:不在"
        r"|超出).{0,8}(?:范围|能力)",
        r"(?:请|請|麻烦|麻煩)(?:您|你)?.{0,4}(?:检查|檢查|登录|登入|重试|提供|告知|告诉|告訴|确认|確認|选择|選擇|输入|輸入|说明|說明|指定|回复|回覆|补充|给出|发送)|(?:需要"
        r"|还需要)(?:您|你|知道|确认)",
        r"(?:已(?:经|經)?(?:成功)?(?:将|把|被|为|為)?.{0,12}(?:完成|创建|創建|删除|刪除|移动|移動|发送|發送|预订|預訂|取消|更新|修改|添加|保存|提交|下单|退款|复制|重命名"
        r"|设置|关闭|启动|处理|生成|发布))|(?:成功|已)(?:完成|创建|删除|移动|发送|预订|取消|更新|修改|添加)|(?:完成|搞定|好)了$|(?:操作|设置|处理|提交|修改)成功|(?:全部"
        r"|都)(?:已)?(?:完成|搞定|处理)",
        r"(?:吗|嗎|呢|么)$|^(?:请问|請問)",
    ),
    Language(
        "Japanese",
        r"(?:他に|ほかに|その他).{0,12}(?:何か|ございますか|ありますか|お手伝い|ご質問)|何か(?:お手伝い|ご用)",
        r"でき(?:ません|かねます|ない)|(?:いたし|致し)かねます|不可能|対応して(?:おりません|いません)|(?:権限|機能|ツール|方法)(?:が|は)(?:ありません|ございません)"
        r"|許可されて(?:いません|おりません)",
        r"(?:教えて|お知らせ|ご指定|指定して|ご提供|入力して|ご入力|選択して|お選び|ご確認|確認して|お送り)(?:いただけ|ください|下さい)|(?:必要です|必要があります)$",
        r"(?:しました|いたしました|致しました|されました|完了(?:しました|です)?|済みです|なりました|できました)(?:よ|ね)?$",
        r"(?:ますか|ですか|でしょうか|ませんか)$",
    ),
    Language(
        "Korean",
        r"(?:더|다른|또).{0,10}(?:도와|도움|필요|궁금)|무엇을 도와",
        r"(?:할|될|드릴|변경할|취소할|제공할|처리할|[가-힣]) 수(?:가|는)? 없|불가능|불가합니다"
        r"|지원(?:하지|되지) 않|권한이 없|(?:기능|도구|방법)(?:이|가) 없|허용되지 않|못합니다",
        r"(?:알려|말씀해|입력해|제공해|확인해|선택해|지정해|보내)\s?(?:주세요|주십시오|주시기|주시면|주시겠)",
        r"(?:했습니다|하였습니다|되었습니다|됐습니다|완료|마쳤습니다|드렸습니다)$",
        r"(?:까요|습니까|나요|세요)$(?<!주세요)",
    ),
    Language(
        "Arabic",
        r"(?:أي شيء|شيء|أمر) آخر|(?:كيف|بماذا) (?:يمكنني|أستطيع) (?:مساعدتك|أن أساعدك)",
        r"(?:لا|لن|لم) (?:يمكنني|يمكن|أستطيع|نستطيع|يمكننا|أتمكن|يتوفر|تتوفر|يسمح|توجد|يوجد|أملك)|(?:غير|ليس) (?:ممكن"
        r"|متاح|مسموح|مدعوم|قادر)|لست (?:قادر|مخول)|ليس (?:لدي|لدينا|بإمكاني|هناك)|للأسف|يتعذر",
        r"(?:يرجى|الرجاء|أرجو|من فضلك|رجاء)|(?:أحتاج|نحتاج) (?:إلى|الى)|(?:هل يمكنك|أخبرني|زودني)",
        r"(?:^|[\s،])(?:لقد )?(?:تم|تمت|قمت|قمنا)\b|^لقد \w+ت |بنجاح|اكتمل",
    ),
    Language(
        "Russian",
        r"(?:ещё|еще).{0,12}(?:помочь|вопрос|нужно|что-нибудь|чем)|(?:что-то|что-нибудь|чем-нибудь|чем) (?:ещё|еще)"
        r"|(?:чем|как) (?:я )?могу (?:вам )?помочь",
        r"не (?:могу|можем|может|могут|удастся|получится|имею|поддержива\w+|предусмотрен\w*|разреш\w+|в состоянии"
        r"|доступ\w+)|невозможн\w+|нельзя|нет (?:доступа|возможности|функци\w+|инструмент\w+|прав)|к сожалению",
        r"(?:укажите|уточните|сообщите|подтвердите|предоставьте|пришлите|напишите|назовите|выберите|введите|скажите"
        r"|отправьте)|мне (?:нужн\w+|необходим\w+|потребуется)",
        r"(?:успешно|готово|выполнен\w*|завершен\w*|завершён\w*)|(?:^| )(?:я |мы )?(?:отменил|создал|удалил"
        r"|переместил|отправил|обновил|добавил|забронировал|изменил|сохранил|оформил)(?:а|и)?\b|(?:был|была|было"
        r"|были) (?:отмен|созда|удал|перемещ|отправл|обновл|добавл|заброниров|измен|сохран)\w+|(?:отменен|отменён"
        r"|создан|удален|удалён|перемещен|перемещён|отправлен|обновлен|обновлён|добавлен|забронирован|изменен|изменён"
        r"|сохранен|сохранён|оформлен)[аоы]?\b",
    ),
    Language(
        "Spanish",
        r"\b(?:algo|alguna(?: otra)?|otra) (?:m[aá]s|cosa|consulta|pregunta)\b|\ben qu[eé] (?:m[aá]s )?(?:puedo"
        r"|podemos) ayudar|\bc[oó]mo puedo ayudar|\bnecesita(?:s)? (?:algo|ayuda|m[aá]s)",
        r"\bno (?:(?:me|nos|se|le|te|lo|la) )*(?:puedo|podemos|puede|pueden|podr[eé]|podr[ií]a|ser[aá] posible"
        r"|es posible|resulta posible|est[aá] permitid\w+|est[aá] disponible|permite\w*|tengo|tenemos|dispongo|cuento"
        r"|existe|hay) ?(?:ning\w+|una?|acceso|permiso\w*|la (?:capacidad|posibilidad)|funci\w+|herramient\w+|manera"
        r"|forma)?|\b(?:imposible|lamentablemente|desafortunadamente|por desgracia)\b",
        r"\b(?:por favor|porfavor),? (?!no dude|tenga en cuenta|espere)|\b(?:ind[ií]que(?:me|nos)?"
        r"|proporci[oó]ne(?:me|nos)?|facil[ií]te(?:me|nos)?|conf[ií]rme(?:me|nos)?|d[ií]game|d[ií]me|especifique"
        r"|necesito (?:que|saber|su|tu|el|la|los|las|confirmar)|podr[ií]as? (?:indicar|decir|proporcionar|confirmar"
        r"|facilitar)|me (?:puede|podr[ií]a) )",
        r"\b(?:he|hemos|ha sido|han sido|se ha|se han) (?:\w+mente )?(?!encontrado|revisado|verificado|comprobado"
        r"|buscado)\w+(?:ado|ada|ados|adas|ido|ida|idos|idas|cho|cha|sto|sta|rto|crito|crita)\b|\b(?:con [eé]xito"
        r"|correctamente|exitosamente|listo|hecho|completad[oa]s?)\b|\b(?:fue|fueron|est[aá] ya|ya est[aá]) \w+(?:ad"
        r"|id)[oa]s?\b",
        r"^¿",
    ),
    Language(
        "Portuguese",
        r"\b(?:mais (?:alguma|algo)|alguma (?:outra )?coisa|algo mais)|\bcomo posso (?:ajudar|te ajudar)"
        r"|\bposso ajudar",
        r"\bn[aã]o (?:(?:me|se|lhe|te) )?(?:posso|podemos|pode|podem|consigo|conseguimos|poderei|ser[aá] poss[ií]vel"
        r"|[eé] poss[ií]vel|[eé] permitid\w+|est[aá] dispon[ií]vel|tenho|temos|h[aá]|existe)\b|\b(?:imposs[ií]vel"
        r"|infelizmente)\b",
        r"\b(?:por favor|por gentileza),? (?!n[aã]o hesite|observe|aguarde)|\b(?:informe|indique|forne[cç]a|confirme"
        r"|especifique|poderia (?:informar|me|fornecer|confirmar)|preciso (?:que|saber|do|da|de))\b",
        r"\b(?:foi|foram|est[aá] agora) (?:\w+mente )?(?!encontrad)\w+(?:ad|id|eit|ert|rit|ost|ueit)[oa]s?\b"
        r"|\bcom sucesso\b|\b(?:pronto|conclu[ií]d[oa]s?)\b|^(?:j[aá] )?(?:movi|criei|cancelei|enviei|atualizei"
        r"|reservei|adicionei|exclu[ií]|apaguei|alterei|salvei|agendei)\b",
    ),
    Language(
        "French",
        r"\b(?:autre chose|d'autres? (?:questions?|demandes?|choses?))|\b(?:comment|en quoi) (?:puis-je"
        r"|pourrais-je) (?:vous )?(?:aider|[eê]tre)|\bpuis-je (?:vous )?aider",
        r"\bne (?:(?:vous|me|le|la|les|lui|s'|se|nous) )?(?:peux|pouvons|peut|peuvent|pourrai|pourrons|suis|sommes"
        r"|sera|dispose|disposons|permet\w*|dois) (?:\w+ ){0,2}?(?:pas|plus|aucun\w*|malheureusement)|\bn'(?:est|ai"
        r"|avons|est-il|existe|y a) (?:\w+ )?(?:pas|plus|aucun\w*)|\baucun\w* (?:des |outil|fonction|moyen)"
        r"|\b(?:impossible|malheureusement|n'est pas possible)\b",
        r"\b(?:veuillez|merci de|pri[eè]re de) (?!noter|patienter|trouver)\w+|\b(?:s'il (?:vous|te) pla[iî]t)\b"
        r"|\b(?:pouvez-vous|pourriez-vous|indiquez|pr[eé]cisez|confirmez|fournissez|dites-moi|j'ai besoin (?:de|d'|du"
        r"|des"
        r"|que))",
        r"\b(?:j'ai|nous avons|a (?:bien )?[eé]t[eé]|ont (?:bien )?[eé]t[eé]|c'est|est maintenant"
        r"|sont maintenant) (?:bien |d[eé]j[aà] )?(?!trouv|v[eé]rifi|consult|cherch|besoin|compris)\w+(?:[eé]|[eé]e"
        r"|[eé]s|[eé]es|i|is|it|ie|u|ue|us|ues)\b(?! pas)|\bavec succ[eè]s\b|\b(?:termin[eé]|c'est fait)\b",
    ),
    Language(
        "German",
        r"\b(?:sonst noch|noch etwas|noch was|weitere (?:fragen|hilfe|anliegen|w[uü]nsche))|\bwie kann ich (?:ihnen "
        r"|dir )?(?:\w+ )?(?:helfen|behilflich)|\b(?:womit|kann ich).{0,20}\bhelfen",
        r"\b(?:kann|k[oö]nnen|konnte|konnten|darf|d[uü]rfen) (?:\w+ ){0,8}?(?:nicht|kein\w*|leider)\b"
        r"|\bnicht (?:mehr )?(?:m[oö]glich|verf[uü]gbar|erlaubt|gestattet|unterst[uü]tzt|zul[aä]ssig|vorgesehen"
        r"|in der lage)|\bkein\w* (?:\w+ ){0,2}?(?:funktion\w*|werkzeug\w*|zugriff|m[oö]glichkeit\w*|berechtigung\w*"
        r"|tool\w*)|\b(?:leider|unm[oö]glich|bedauerlicherweise)\b",
        r"\b(?:bitte|w[uü]rden sie|k[oö]nnten sie|k[oö]nnen sie|kannst du|k[oö]nntest du) (?!beachten|warten"
        r"|haben sie)|\b(?:ich|wir) (?:ben[oö]tig\w*|brauch\w*)\b|\bgeben sie\b|\bteilen sie\b|\bsagen sie\b"
        r"|\bsage? mir\b|\bnenne? mir\b",
        r"\b(?:wurde|wurden|ist nun|sind nun|ist jetzt|habe|haben|hab|worden)\b(?! (?:nicht"
        r"|sie)\b)(?!.{0,60}\b(?:gefunden|nicht|gepr[uü]ft|gesehen|nachgesehen)\b).{0,120}\b(?:\w*ge\w+(?:t|en)"
        r"|\w+(?:iert|icht|ucht|[eä]ndert|schoben|sandt|llt))\b|\berfolgreich\b|\b(?:ist|sind) (?:\w+ )?(?:gebucht"
        r"|storniert|verschoben|gel[oö]scht|erstellt|gesendet|aktualisiert|best[aä]tigt"
        r"|bezahlt|ge[aä]ndert|hinzugef[uü]gt|gespeichert)\b|\b(?:erledigt|abgeschlossen|fertig)\b",
    ),
    Language(
        "Italian",
        r"\b(?:altro|qualcos'altro|qualche altra|altre domande)\b|\bcome posso (?:aiutar|esser)|\bposso aiutar",
        r"\bnon (?:(?:mi|si|ci|le|ti|lo|la) )?(?:posso|possiamo|pu[oò]|possono|potr[oò]|[eè] possibile"
        r"|[eè] consentit\w+|[eè] disponibile|[eè] permess\w+|ho (?:accesso|uno?|la)|dispongo|esiste)\b"
        r"|\b(?:impossibile|purtroppo|sfortunatamente)\b",
        r"\b(?:per favore|per cortesia),? (?!non esiti|nota|attend)|\b(?:la prego di|mi (?:dica|indichi|fornisca"
        r"|serve|servono)|indichi|fornisca|specifichi|potrebbe (?:indicar|dir|fornir|confermar)\w*|ho bisogno (?:di"
        r"|del|della|che))\b",
        r"\b(?:[eè] stat[oa]|sono stat[ie]|ho|abbiamo) (?:\w+mente )?(?!trovat|verificat|controllat|cercat"
        r"|bisogno)\w+(?:at|it|ut|ess|ost|ott|ess|rt|so)[oaie]\b|\bcon successo\b|\b(?:fatto|completat[oaie])\b",
    ),
)

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Japanese", re.compile(r"[\u3040-\u30ff]")),
    ("Chinese", re.compile(r"[\u4e00-\u9fff]")),
    ("Korean", re.compile(r"[\uac00-\ud7af]")),
    ("Arabic", re.compile(r"[\u0600-\u06ff]")),
    ("Russian", re.compile(r"[\u0400-\u04ff]")),
)
_TELLING = 300
"""So many characters tell the language of a text, unless English words come after them."""
_ACCENTED = re.compile(r"[\u00a1\u00bf\u00df-\u00f6\u00f8-\u024f]")
_NOT_ASCII = re.compile(r"[^\x00-\u02ff\u2000-\u2bff\ufe0f\U0001f000-\U0001ffff]")

LATIN_WORDS = {
    "Spanish": "el la los las una un usted su sus por ha favor puedo del lo gracias se que en es de siento algo tengo"
    " cuento dime fue fueron con para lamentablemente hay ninguna",
    "Portuguese": "o os uma um seu sua foi foram por favor posso infelizmente obrigado dos da em esta que com sucesso"
    " preciso voc",
    "French": "le la les une un des du vous votre je j'ai est pour malheureusement quelle quel dans veuillez avec ne"
    " pas aucune sur et c'est m'est n'est merci besoin termin de",
    "German": "der das ich sie ist nicht leider bitte wurde wurden ihre ihr ihren eine ein kann welche welcher welchen"
    " den dem im und nach zu mehr noch habe haben keine gibt alles erledigt mir fertig",
    "Italian": "il gli una un lei suo sua favore posso purtroppo quale stata stato della nel ho mi non questa questo"
    " che di dispiace",
}
"""Words that English text doesn't use much, in ASCII, as they are left of words with accents."""

_ENGLISH_WORDS = "the to is of and your you for this that with from was are have it i'm i've has can"
_LOOSE_WORDS = (
    "la los las le les un una un il mi den des dos o os em um su es se en di che ha per sur est del de par pour mir"
    " das non"
    " da im der con para zu nach esta com no"
)
_LOOSE = frozenset(_LOOSE_WORDS.split())
"""Words that also stand in English text, in names say: two of them tell as much as one of the others."""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_LANGUAGES_OF_WORD = {
    word: tuple(name for name, others in LATIN_WORDS.items() if word in others.split())
    for words in LATIN_WORDS.values()
    for word in words.split()
}
_FOREIGN = frozenset(_LANGUAGES_OF_WORD)
_SHARED = 60
"""What a word weighs, shared by the languages that have it; divisible by every count of them."""

_COMPILED = {
    language.name: tuple(
        (kind, rule, re.compile(pattern))
        for kind, rule, pattern in (
            (Kind.COURTESY, "closing", language.closing),
            (Kind.REFUSAL, "refusal", language.refusal),
            (Kind.DEMAND, "request", language.demand),
            (Kind.DEMAND, "question", language.question),
            (Kind.COMPLETION, "completion", language.completion),
        )
    )
    for language in LANGUAGES
}


def language_of(text: str, letters: str) -> str | None:
    """The language of `LANGUAGES` that a masked text is in, as far as its script or its function words show.

    `letters` is the same text with a space for all that is no ASCII letter.
    """
    if not text.isascii() and _NOT_ASCII.search(text):
        for name, script in _SCRIPTS:
            if script.search(text):
                return name
    words = letters[:_TELLING].split()
    if _FOREIGN.isdisjoint(words):
        return None
    hits = _FOREIGN.intersection(words)
    accented = not text.isascii() and _ACCENTED.search(text) is not None
    weight = 2 * len(hits) - len(hits & _LOOSE)
    if weight < 2 and not accented:
        return None
    english = len(_ENGLISH.intersection(words if len(letters) <= _TELLING else letters.split()))
    if weight < 2 + 2 * english and (english or not accented):
        return None
    weights = dict.fromkeys(LATIN_WORDS, 0)
    for word in hits:
        names = _LANGUAGES_OF_WORD[word]
        for name in names:
            weights[name] += _SHARED // len(names)
    return max(weights, key=weights.__getitem__)


def foreign_sign(text: str, language: str, *, question: bool) -> Sign | None:
    """What a sentence of a language does: the first kind of cue in it."""
    for kind, rule, pattern in _COMPILED[language]:
        if question and kind is not Kind.COURTESY:
            return Sign(Kind.DEMAND, "question", (0, len(text)))
        if (match := pattern.search(text)) and match.end() > match.start():
            if kind is Kind.COURTESY and (report := _COMPILED[language][-1][2].search(text, 0, match.start())):
                return Sign(Kind.COMPLETION, f"{language.lower()}_completion", report.span())
            return Sign(kind, f"{language.lower()}_{rule}", match.span())
    return None
