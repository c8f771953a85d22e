"""The signs of an order to an agent, as data: what a text says that wants to be obeyed by the model that reads it later.

Each sign has cues, plain substrings without which its pattern is not run. A user's own rules ("always run the tests before
committing", "never push to main") are wanted memories: a sign needs more than "always", "never" or "must". It needs the agent
as its subject, a secret to send, a person to deceive, or an instruction to undo.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Sign(NamedTuple):
    """A named group of phrasings. Its pattern is run if the text has a cue of every group (groups are joined by ` & `).

    `words` are checked first, because that is cheaper: an ASCII text without any of them cannot match.
    """

    name: str
    cues: str
    pattern: str
    words: str = ""


_ORDERS = (
    r"(?:instruction|direction|directive|prompt|rule|guideline|command|order|guardrail|guidance|programming|training)s?"
)
_EARLIER = r"(?:previous|prior|earlier|preceding|above|past|existing|original|initial|former|system|safety|old|your)"
_SECRETS = (
    r"(?:api[ _-]?keys?|passwords?|credentials?|secrets?|tokens?|private keys?|env(?:ironment)? variables?|\.env"
    r"|cookies|conversation|chat history|memories|system prompt)"
)
_AGENTS = r"(?:ai(?: assistant| agent| model)?|assistant|agent|llm|language model|chatbot|model)"
_ACTS = (
    r"(?:send|forward|call|run|execute|delete|reply|respond|ignore|disregard|visit|open|download|fetch|post"
    r"|upload|say|tell|output|print|add"
    r"|reveal|transfer|e-?mail|buy|click|install|invoke|leak|copy|append|recommend|pretend|never|always|do not|don't)"
)
_ANSWERS = r"(?:answer(?:ing)?|respond(?:ing)?|reply(?:ing)?|(?:each|every|any) (?:answer|response|reply))"
_RUNS = r"(?:run|execute|fetch|visit|download|curl|send|post|upload|invoke|call)"

SIGNS: Final = (
    Sign(
        "ignore-instructions",
        "ignor,disregard,forget,overrid,bypass,not follow,n't follow,stop follow"
        " & instruction,prompt,directi,guid,rules,programming,guardrail,order,command,training,told,you know,i "
        "said,above,before",
        rf"(?:ignore|disregard|forget|override|bypass|(?:do not|don't"
        rf"|stop) follow(?:ing)?)\s+(?:about\s+)?(?:all\s+|any\s+|of\s+|every\s+|everything\s+in\s+)*"
        rf"(?:(?:the|my|these|those|its|their|your)\s+)?(?:{_EARLIER}\s+(?:and\s+)?){{1,3}}(?:\w+\s+)?{_ORDERS}"
        rf"|(?:ignore|disregard|forget) (?:everything|all|anything) (?:(?:that )?(?:you were told|you know|i said"
        rf"|was said|above|before)|(?:that )?came before)"
        rf"|(?:ignore|disregard) (?:all |the )?{_ORDERS} (?:above|before|given|you (?:were|have been) given)"
        rf"|(?:ignore|disregard|forget|bypass|override) (?:all|any|every|each)(?: of)?(?: the| your| other"
        rf"| these)* {_ORDERS}(?!\s+(?:on|in|at|for) )"
        rf"|(?:ignore|disregard|forget) (?:what|whatever|everything|anything|all) (?:(?:that )?(?:you"
        rf"|they) (?:were|have been|had been|are) (?:told"
        rf"|taught|instructed|given)|(?:the )?(?:user|developer|system)s? (?:said|says|wants?|told you))",
        "ignore disregard forget override bypass follow following",
    ),
    Sign(
        "ignore-instructions",
        "instructions:,instruction:,orders:,directives:",
        r"(?:^|[.!?]\s+)(?:here are )?(?:your |the )?(?:new|updated|real|actual|true) (?:instruction|order|directive)s?\s?:",
    ),
    Sign(
        "role-impersonation",
        "assistant:,assistant],agent:",
        r"^\s{0,4}\[?(?:assistant|agent)\]?\s?:\s(?:call|run|execute|invoke|send|forward|ignore|reveal|delete"
        r"|obey)\b|\[/?assistant\]",
    ),
    Sign(
        "ignore-instructions",
        "instructions,rules are,rules have,guidelines",
        rf"\b{_EARLIER} {_ORDERS} (?:are|is|have been|were) (?:now )?(?:void|null|cancel+ed|obsolete|revoked"
        rf"|superseded|no longer)"
        rf"|{_ORDERS} (?:above|before this)[^.\n]{{0,20}} (?:are|is) (?:void|fake|a test|outdated|no longer|wrong)",
    ),
    Sign(
        "ignore-instructions",
        "ignor,vergiss,vergesst,missacht,oublie,olvid,omit,esque,dimentica,negeer"
        " & anweisung,instruktion,befehl,regel,vorgabe,consigne,instruction,règle,regla,directive,instruc,orden,"
        "indicacion,instruç,istruzioni,instructies,opdracht,instrukcje,polecenia",
        r"(?:ignorier|vergiss|vergesst|missacht)\w*\s+(?:bitte\s+)?(?:alle\w*\s+|die\s+|deine\s+)*(?:vorherig"
        r"|bisherig|vorig|früher|obig|vorangegangen|gegeben)\w*\s+(?:anweisung|instruktion|befehl|regel|vorgabe|prompt)"
        r"|(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes?\s+|tous\s+)?(?:les|vos|tes|ces)\s+(?:\w+\s+)?(?:instructions?"
        r"|consignes?|règles|directives)\s+(?:pr[ée]c[ée]dente|ant[ée]rieure|ci-dessus)"
        r"|(?:ignor[ae]|ignoren?|olvid[ae]|olvíd\w+|omit[ae])\s+(?:tod[ao]s\s+)?(?:las|tus|los"
        r"|sus)\s+(?:instruccion|órden|orden|regla|indicacion)\w*\s+(?:anterior|previa|precedente)"
        r"|(?:ignor[ea]|esqueça)\s+(?:todas\s+)?(?:as\s+)?(?:suas\s+)?instruç\w+\s+(?:anterior|prévia)"
        r"|(?:ignora|dimentica)\s+(?:tutte\s+)?(?:le\s+)?(?:tue\s+)?istruzioni\s+(?:precedent|sopra)"
        r"|negeer\s+(?:alle\s+)?(?:de\s+)?(?:vorige|eerdere|bovenstaande)\s+(?:instructies|opdrachten)"
        r"|zignoruj\s+(?:wszystkie\s+)?(?:poprzednie\s+)?(?:instrukcje|polecenia)",
    ),
    Sign(
        "ignore-instructions",
        "忽略,无视,無視,忘,игнорир,забудь,무시,yok say,تجاهل,अनदेखा",
        r"(?:忽略|无视|無視|忘记|忘記)(?:掉|所有|之前|以上|先前|前面|此前|上述|一切|你|的|全部|任何|上面|收到|系统){0,8}"
        r"(?:指令|指示|命令|说明|說明|提示|规则|規則|要求)"
        r"|(?:以前|これまで|上記|前|すべて)の(?:すべての|全ての)?(?:指示|命令|プロンプト)を(?:すべて)?(?:無視|忘れ)"
        r"|(?:игнорируй|игнорируйте|забудь|забудьте)\s+(?:все\s+)?(?:предыдущие|прежние|прошлые)\s+(?:инструкции"
        r"|указания|команды)"
        r"|이전(?:의)?\s?(?:모든\s?)?(?:지시|명령|지침)\w*\s?(?:을|를|은|사항을)?\s?무시"
        r"|önceki\s+(?:tüm\s+)?talimat\w*\s+yok say"
        r"|تجاهل\s+(?:جميع\s+|كل\s+)?التعليمات\s+السابقة|पिछले\s+(?:सभी\s+)?निर्देशों\s+को\s+अनदेखा",
    ),
    Sign(
        "role-impersonation",
        "system,developer,god mode,dan mode,jailbr,unrestrict,do anything now,you are now,no restrictions,admin,root,assistant>,"
        "operator,restrictions",
        r"^\s{0,4}(?:\[|<|#{1,4}\s?|\*\*|-{3,}\s?)?\s?(?:system|developer|admin(?:istrator)?|operator"
        r"|root)(?: (?:message|prompt|override"
        r"|notice|update|instruction|note|alert)s?)?\s?(?:\]|>|\*\*|-{3,})?\s?:\s*(?:you (?:are|must|will|should"
        r"|now|have|can)\b|ignore|new "
        r"(?:instruction|rule|polic|directive|order)|from now|all (?:previous|prior|safety|future)|the assistant"
        r"|override"
        r"|important|the user (?:is|has|must)|disregard|forget|disable|enable|grant|reveal|execute|do not)"
        r"|</?system>|\[/?system\]|</?assistant>|(?:new|updated|revised) system (?:prompt|instructions?|message)\s?:"
        r"|\b(?:begin|end|start) (?:of )?(?:the )?system (?:prompt|message|instructions?)\b"
        r"|\byou are now (?:in )?(?:dan\b|developer mode|jailbroken|unrestricted|root|an? unfiltered|free from"
        r"|the (?:admin|system|root)"
        r"|an? (?:\w+ )?(?:unrestricted|uncensored|evil|rogue|different|hacker|root|admin)|\w+,? an? (?:ai"
        r"|assistant|model|bot|agent)\b)"
        r"|\b(?:pretend|act|behave|respond|answer)\b[^.\n]{0,40}\b(?:you have no|without(?: any)?"
        r"|free of) (?:restriction|rule|filter|limit"
        r"|guideline|guardrail)s?"
        r"|(?:enable|enter|activate|switch to) (?:developer|god|dan|jailbreak|unrestricted) mode|do anything now"
        r"|\bsystem override\b",
        "system developer god dan jailbreak unrestricted anything now restriction restrictions rule rules filter "
        "filters limit limits guideline guidelines guardrail guardrails admin administrator root assistant "
        "operator",
    ),
    Sign(
        "forced-recommendation",
        "recommend,suggest,promote,prefer,advertise,mention, asks"
        " & must always,must only,should always,should only,will always,have to always,always recommend,always suggest,"
        "always answer,always say,always reply,from now on,in all future,whenever",
        r"\b(?:you|the (?:assistant|agent|model|ai)) (?:must|should|shall|will|have to) (?:always|only"
        r"|never fail to) (?:recommend|suggest|promote|prefer|mention|advertise)"
        r"|\b(?:from now on|in all future \w+|whenever (?:the user|asked"
        r"|anyone asks)[^.\n]{0,60}),? (?:you (?:must |should |will )?)?(?:always )?(?:recommend|suggest|promote)"
        r"|when(?:ever)? (?:the user|a user|someone) asks[^.\n]{0,80}\balways (?:recommend|suggest|answer|say|reply)",
        "recommend suggest promote prefer mention advertise asks asked",
    ),
    Sign(
        "concealment",
        "the user,your user,the human,your human,operator,owner,utilisateur,usuario,nutzer,用户,用戶,instruction,this "
        "message,this prompt,the above"
        " & not tell,n't tell,never ,without ,keep this,hide this,must not,not inform,n't inform,not notify,n't "
        "notify,not alert,n't alert,not reveal,n't reveal,not mention,n't mention,"
        "not disclose,not warn,n't warn,not ask,n't ask,not show,n't show,not let,n't let,not acknowledge,nicht,ne "
        "dis,ne le,ne rév,no se lo,no le,不要",
        r"(?:do not|don't|never|must not|without) (?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?"
        r"|reveal(?:ing)? (?:this|it) to|mention(?:ing)? (?:this|it|any of this) to|disclos(?:e|ing) (?:this|it) to"
        r"|warn(?:ing)?|ask(?:ing)?|show(?:ing)?(?: this to)?|let(?:ting)?) (?:the |your )(?:user|human|operator"
        r"|owner)"
        r"|(?:keep|hide) this (?:hidden |secret |instruction |message )?(?:from|secret from) the (?:user|human)"
        r"|without the user(?:'s|\u2019s)? (?:knowledge|knowing|noticing|consent)"
        r"|(?:do not|don't|never) (?:mention|reveal|disclose|acknowledge) (?:this|these|the above) (?:instruction"
        r"|message|prompt|note|rule)"
        r"|(?:sag|verrate|erzähl)\w* (?:es |das |dies )?dem (?:nutzer|benutzer|user) nicht|ne (?:le )?(?:dis|dites"
        r"|révèle\w*) (?:rien |pas )(?:ça |cela )?à l['\u2019]utilisateur|no (?:se lo |le )digas (?:nada )?al usuario"
        r"|sag\w* dem (?:nutzer|benutzer|user) nichts|ne (?:dis|dites) rien à l['\u2019]utilisateur"
        r"|不要(?:告诉|告訴|让"
        r"|讓)用[户戶]",
        "user human operator owner instruction instructions message prompt note rule above utilisateur usuario "
        "nutzer benutzer",
    ),
    Sign(
        "exfiltration",
        "api key,api-key,api_key,password,credential,secret,token,private key,environment var,env var,.env,cookies,"
        "conversation,chat history,memories,system prompt,system message,initial instr,hidden instr,instructions "
        "verb,]("
        " & send ,post ,upload,exfiltrat,forward,email,e-mail,transmit,submit,copy ,reveal,print,repeat,output,show "
        "me,tell me,display,leak,![",
        rf"\b(?:send|post|upload|exfiltrate|forward|e-?mail|transmit|leak|submit|copy) (?:me |all |any |the |your "
        rf"|their |every |user(?:'s)? |of |this |entire |full |contents? |stored "
        rf"|of the )*{_SECRETS}[^.\n]{{0,60}}?\b(?:to|at|via|into) (?:https?://|\S+@\S+\.\w|an? (?:external|remote"
        rf"|webhook)|the (?:following|attacker|url|webhook)|this (?:url|address|webhook|endpoint))"
        r"|\b(?:reveal|print|repeat|output|show me|leak|tell me|display) (?:me )?(?:your|the) (?:full |entire "
        r"|complete |hidden |initial |original )*(?:system prompt|system message|initial instructions"
        r"|hidden instructions|instructions verbatim)"
        r"|!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&][\w-]{1,20}=(?:\{|\$|%7b|\[|<)"
        r"|!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&](?:data|payload|leak|secrets?|history|prompt"
        r"|conversation|chat|exfil|stolen|memor(?:y|ies)"
        r"|context|password|token|cookie|env)=",
        "send post upload exfiltrate forward email mail transmit submit copy reveal print repeat output show tell "
        "display leak http https",
    ),
    Sign(
        "exfiltration",
        "@,http,webhook,attacker,external,remote,.com,.net,.io,.org,silently,secretly,covertly,转发,发送,上传"
        " & bcc,forward,send,upload,post ,transmit,e-mail,email,copy ,leak,exfil,leite,schick,"
        "reenv,env,manda,transf,转发,发送,上传",
        rf"\b(?:forward|send|upload|post|transmit|e-?mail|copy|leak|exfiltrate)\s(?:me "
        rf"|us )?(?:a copy of )?(?:all|every|each|any|the|your|this|my)?(?: of)?(?: the| your"
        rf"| my| user(?:'s)?| incoming| future| other| full| entire| whole)*\s?(?:messages?|conversations?"
        rf"|chats?|chat history|transcripts?|prompts?|responses|answers|outputs"
        rf"|memor(?:y|ies)|{_SECRETS}|files?|user data|personal data|source code|repository|contents? of"
        rf"|\S*\.(?:ssh|env|aws|pem)\S*|~/\S+|/etc/\S+)"
        r"[^.\n]{0,80}?\b(?:to|at|via|into)\s(?:https?://|\S+@\S+\.\w|\S+\.(?:com|net|io|org|example|xyz|ru"
        r"|site)\b|an? (?:external|remote|webhook|attacker)"
        r"|the (?:attacker|webhook|external|remote))"
        r"|\b(?:add|include|put|insert)\b[^.\n]{0,20}\bbcc\b[^\n]{0,60}@[^\n]{0,40}\b(?:every|all|each)\b"
        r"|\b(?:silently|secretly|covertly) (?:send|forward|upload|exfiltrate|transfer|e-?mail|copy|transmit)\b"
        r"|\b(?:leite|schicke?|sende)\b[^.\n]{0,20}\b(?:alle|sämtliche)\b[^.\n]{0,60}\b(?:an|nach)\s(?:https?://"
        r"|\S+@\S+)"
        r"|\b(?:reenvía|envía|manda)\b[^.\n]{0,10}\btod[oa]s\b[^.\n]{0,60}\ba\s(?:https?://|\S+@\S+)"
        r"|\b(?:transfère|transférez|envoie|envoyez)\b[^.\n]{0,10}\b(?:tous|toutes)\b[^.\n]{0,60}(?:\bà"
        r"|\bvers)\s(?:https?://|\S+@\S+)"
        r"|(?:转发|发送|上传)[^。\n]{0,6}(?:所有|全部)[^。\n]{0,12}(?:到|给|至)|(?:把|将)[^。\n]{0,4}(?:所有|全部)[^。\n]{0,12}(?:发送|转发"
        r"|上传)(?:到|给|至)",
        "forward send upload post transmit mail email copy leak exfiltrate bcc silently secretly covertly leite "
        "schick schicke sende manda envoie envoyez transfer",
    ),
    Sign(
        "triggered-order",
        "liest,siehst,leas ,veas ,tu lis,tu vois,lisez,voyez,partir de,ab jetzt,ab sofort,读到,看到,从现在"
        " & send,schick,führe,lösch,musst,enví,ejecut,borra,debes,envoie,exécut,supprim,dois,发送,执行,删除,必须",
        r"\bwenn du (?:das|dies|diese\w*)\b[^.\n]{0,30}\b(?:liest|siehst)\b[^.\n]{0,20}\b(?:sende|schicke?|führe"
        r"|lösche?|rufe?|öffne|ignoriere)\b"
        r"|\b(?:ab jetzt|ab sofort) musst du\b[^.\n]{0,60}\b(?:senden|schicken|gehorchen|ignorieren|ausführen"
        r"|weiterleiten|befolgen)"
        r"|\bcuando (?:leas|veas) (?:esto|este)\b[^.\n]{0,30}\b(?:envía|ejecuta|borra|llama|abre|ignora|manda)\b"
        r"|\ba partir de ahora debes\b[^.\n]{0,60}\b(?:enviar|obedecer|ignorar|ejecutar|reenviar)"
        r"|\b(?:quand|lorsque|dès que) (?:tu (?:lis|vois)|vous (?:lisez|voyez)) (?:ceci|cela|ça"
        r"|ce)\b[^.\n]{0,30}\b(?:envoie|envoyez|exécute|exécutez|supprime|appelle|ouvre)"
        r"|\bà partir de maintenant,? tu dois\b[^.\n]{0,60}\b(?:envoyer|obéir|ignorer|exécuter|transférer)"
        r"|当你?(?:读到|看到)(?:这|此)[^。\n]{0,20}(?:发送|执行|删除|调用|转发|忽略)|从现在(?:起|开始)[^。\n]{0,6}必须[^。\n]{0,12}(?:发送|执行|服从|忽略|转发)",
        "wenn ab cuando partir quand lorsque",
    ),
    Sign(
        "triggered-order",
        "this,these,answer,respond,reply"
        " & you read,you see,you process,you retriev,you recall,you load,you encounter,you find this,"
        "reading this,reads this,sees this,"
        "seeing this,before each,before every,before any,before answer,before respond,before reply,"
        "before you answer,before you respond,before you reply",
        r"\b(?:when(?:ever)?|if|once|as soon as|after|upon|every time) (?:you |the (?:assistant|ai|agent"
        r"|model) )?(?:are )?"
        r"(?:read|see|process|retrieve|recall|load|encounter|find)(?:s|ing)? (?:this"
        r"|these)\b[^.!?\n]{0,40}?[,:;]?\s(?:please |immediately "
        rf"|first |then |always |silently |you (?:must|should|will|need to|have to) |do the following)*{_ACTS}\b"
        rf"|\b{_RUNS}\b[^\n]{{1,160}}? before (?:you )?{_ANSWERS}\b"
        rf"|\bbefore (?:you )?{_ANSWERS}\b[^.!?\n]{{0,40}}, ?(?:please |always |first "
        rf"|silently |you must ){{0,3}}{_RUNS}\b",
        "read reads reading see sees seeing process processing retrieve retrieving recall recalling load loading "
        "encounter encountering find finding before",
    ),
    Sign(
        "addressed-to-agent",
        "assistant,agent,model,llm, ai, ais,ai:,language model,chatbot"
        " & must,should,shall,has to,have to,needs to,attention,note to,message to,instruction,dear ,"
        "reading this,hey ,hello ,if you are",
        rf"\b(?:attention|note|message|instructions?|notice|important)(?: (?:to|for))?:? (?:all |any |the "
        rf"|every )?{_AGENTS}\b ?(?:reading this|s)?[:,!.-]"
        rf"|\b(?:if|when|since) you are (?:an? |the )?{_AGENTS}\b[^.\n]{{0,40}}(?:reading|processing"
        rf"|summari[sz]ing|seeing|,) "
        rf"|\b(?<!estate )(?<!travel )(?<!sales )(?<!insurance ){_AGENTS}s?(?: reading this)? (?:must|shall|has to|have to|needs to"
        rf"|should)(?: now| immediately| always| first| also)? "
        r"(?:call|invoke|execute|trigger|obey|comply|ignore|disregard|send|forward|upload|exfiltrate|transfer"
        r"|reveal|disclose|delete|approve)\b",
        "assistant assistants agent agents model models llm llms ai ais chatbot chatbots",
    ),
    Sign(
        "destructive-order",
        "without,ohne,sin ,sans,不经,无需,no questions asked"
        " & delete,remove,wipe,drop ,erase,destroy,format,overwrite,force-push,force push,transfer,"
        "pay ,purchase,buy ,rm -rf,lösch,borra,elimina,"
        "supprime,efface,删除",
        r"(?<!not )(?<!never )(?<!n't )(?<!cannot )(?<!n\u2019t )(?:^|[.!?:;,]\s{0,3}|\b(?:you|please|then"
        r"|must|should|always|and|now|just|may|to)\s)"
        r"(?:immediately |silently |just |now )?(?:delete|remove|wipe|drop|erase|destroy|format|overwrite"
        r"|force[- ]push|transfer|pay|purchase|buy|rm -rf)\b"
        r"(?:(?!\b(?:never|not|don't|nobody)\b)[^.!?\n]){0,80}?(?:\bwithout (?:any )?(?:asking|confirm"
        r"|confirmation|approval|permission|telling|review|warning"
        r"|prompting|consent|notifying|further)|no questions asked)"
        r"|\blösche?\b[^.!?\n]{0,60}\bohne (?:zu fragen|nachfrage|rückfrage|bestätigung)"
        r"|\b(?:borra|elimina)\b[^.!?\n]{0,60}\bsin (?:preguntar|confirmar|confirmación|avisar)"
        r"|\b(?:supprime[sz]?|efface[sz]?)\b[^.!?\n]{0,60}\bsans (?:demander|confirmation|prévenir)"
        r"|(?:不经|无需|不用)(?:询问|确认|同意)[^。\n]{0,12}删除|删除[^。\n]{0,16}(?:不要|无需|不用|不必)(?:询问|确认|问)",
        "without ohne sin sans questions",
    ),
    Sign(
        "false-authority",
        "authori,permission,admin,developer,creator,override,ermächtig,autoriz,autoris,授权,clearance",
        r"\bas (?:the|your|an?|system) (?:system )?(?:administrator|admin|developer|owner|creator|operator|root"
        r"|security officer)[^.\n]{0,20},? ?"
        r"i (?:hereby )?(?:authori[sz]e|permit|allow|grant|order|instruct|command|require|need) you\b"
        r"|\bi(?:'m| am)(?: the| your) (?:system )?(?:administrator|admin|developer|creator"
        r"|operator)\b[^.\n]{0,40}\b(?:authori[sz]e|override|grant|order|instruct"
        r"|command|you (?:must|can|may) (?:now )?(?:ignore|bypass|disclose|reveal|skip))"
        r"|\byou(?:'re| are| have been) (?:hereby |now |fully )?(?:authori[sz]ed|cleared|permitted"
        r"|granted permission) to (?:bypass|ignore|disclose|reveal|delete|skip"
        r"|override|disable|exfiltrate|share|send|transfer|run any|execute any)"
        r"|\byou have (?:my |full |explicit )*permission to (?:ignore|bypass|disclose|reveal|override|disable"
        r"|skip (?:all|the) (?:check|safety|confirmation))"
        r"|\bi, (?:the|your) [\w ]{0,20}(?:administrator|admin|developer|operator|owner),"
        r"? (?:hereby )?(?:authori[sz]e|order|command) you\b"
        r"|\b(?:admin(?:istrator)?|developer|security|root|emergency) override\b(?! (?:the|css|style|method))"
        r"|\bals (?:der |dein )?administrator (?:ermächtige|autorisiere|erlaube|befehle) ich d"
        r"|\bcomo (?:tu |el )?administrador,? (?:te|le|os) (?:autorizo|ordeno|permito)"
        r"|\ben tant qu['\u2019](?:e )?administrateur,? je (?:t['\u2019]|vous |te )(?:autorise|ordonne)"
        r"|作为管理员[^。\n]{0,8}(?:授权|命令|允许)",
    ),
    Sign(
        "hidden-comment",
        "<!--,[//]:,display:,font-size:,visibility:,color:"
        " & assistant,agent, ai ,ai:,llm,model,ignore,instruct,system,you must,do not,the user,prompt,send ,execute",
        r"<!--(?:(?!-->)[^\0]){0,400}?\b(?:assistant|agents?|ai|llm|ignore|instructions?|system prompt|you must"
        r"|do not (?:tell|mention)|the user|send|execute"
        r"|exfiltrate)\b"
        r"|\[//\]: ?# ?[(\"'][^)\"'\n]{0,300}\b(?:assistant|ai|llm|ignore|instructions?|you must|do not tell)\b"
        r"|style ?= ?[\"'][^\"'\n]{0,80}(?:display: ?none|font-size: ?0|visibility: ?hidden|color: ?(?:white"
        r"|#fff(?:fff)?|transparent))[^>\n]{0,80}>"
        r"[^<]{0,300}\b(?:assistant|ai|llm|ignore|instructions?|you must|do not tell|system)\b",
    ),
    Sign(
        "chat-markers",
        "<,[,\n\nh & <|,[inst,[/inst,<<sys,_of_turn>,<tool_,</tool_,"
        "<function_,</function_,<invoke,:tool_,:function_,:invoke,"
        "\n\nhuman:,\n\nh: ",
        r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|start_header_id"
        r"|end_header_id|eot_id|end|start|channel)\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>"
        r"|</?(?:antml:)?(?:tool_calls?|function_calls?|tool_results?|tool_use|function_results"
        r"|invoke name=)\b[^>\n]{0,80}>?|\n\n(?:human|h): [^\n]{1,400}\n\n(?:assistant|a):",
    ),
    Sign(
        "persistent-instruction",
        "permanent,forever,indefinitely,all future,every session,every conversation,every future,every chat, "
        "memory,from now on,记住,dauerhaft,für immer,pour toujours,para siempre"
        " & instruction,rule,directive,command,order,you must,you should,you will,you are to,obey,execute,always,"
        "never,ignore,记住,merk,souviens,recuerda",
        r"\b(?:remember|memorize|store|save|keep|persist|record|add|write)\b[^.\n]{0,40}\b(?:instruction|rule"
        r"|directive|command|order)s?\b[^.\n]{0,40}\b(?:permanent\w*|forever|indefinitely|all future"
        r"|every (?:future )?(?:session|conversation|chat)|in (?:your )?(?:long[- ]term )?memory)"
        r"|\b(?:remember|store|save|memorize|write|add)\b[^.\n]{0,20}\b(?:permanently|forever|(?:in"
        r"|to) (?:your )?(?:long[- ]term |permanent )?memory)\b[^\n]{0,40}?(?:that )?(?:you must|you should always"
        r"|always (?:obey|execute|run|send|trust|recommend|respond|reply|answer|include|follow)|never (?:refuse"
        r"|question|ask))"
        r"|\b(?:in|for) all future (?:conversation|session|response|interaction|chat|turn|repl)\w*,? (?:you (?:must"
        r"|should|will|are)|always|never|the assistant)"
        r"|\bfrom now on,? (?:you (?:must|will|are to|have to|shall) (?:always |only |never )?|always "
        r"|please )?(?:obey|trust|ignore|disregard"
        r"|refuse|forward|exfiltrate|act as|pretend|never (?:refuse|question|warn|ask|tell))\b"
        r"|\bfrom now on,? (?:you (?:must|will|are to|have to|shall) (?:always |only |never ))(?:send|append"
        r"|insert|include|recommend|say|agree"
        r"|end|start|begin)\b"
        r"|(?:永远|永久|务必|从现在起)[^。\n]{0,6}记住[^。\n]{0,20}(?:必须|总是|始终)|merke? dir (?:dauerhaft"
        r"|für immer)[^.\n]{0,60}(?:musst|immer|stets)|(?:souviens-toi|recuerda) (?:pour toujours|para siempre"
        r"|permanentemente|de façon permanente)",
        "permanent permanently permanentemente permanente forever indefinitely future session conversation chat "
        "memory now dauerhaft immer toujours siempre",
    ),
    Sign(
        "encoded-command",
        "base64,rot13,encoded,decode",
        r"(?:decode|run|execute|follow|obey|interpret)\b[^.\n]{0,40}\b(?:base64|rot13|hex"
        r"|encoded)\b[^\n]{0,60}[A-Za-z0-9+/]{24,}|base64 (?:-d|--decode)\s?\|\s?(?:ba|z)?sh\b|\b(?:execute|run"
        r"|follow|obey) the (?:decoded|base64|encoded) (?:\w+ )?(?:command|instruction|message|string|text)",
    ),
)
