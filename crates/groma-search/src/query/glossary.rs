//! Words of programming in other languages, with their English counterparts.
//!
//! The built-in model and the names in most code are English. A question in another language is looked up by its own
//! words, which finds identifiers and cognates, and by the English words for those of its words that are listed here.

/// A language that questions are asked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tongue {
    German,
    French,
    Spanish,
    /// Written in letters that English does not have.
    Script,
}

impl Tongue {
    fn name(self) -> &'static str {
        match self {
            Self::German => "German",
            Self::French => "French",
            Self::Spanish => "Spanish",
            Self::Script => "another script",
        }
    }
}

/// Words that only sentences of a language have.
const FUNCTION_WORDS: &[(Tongue, &[&str])] = &[
    (
        Tongue::German,
        &[
            "wie",
            "wo",
            "wird",
            "werden",
            "der",
            "die",
            "das",
            "den",
            "dem",
            "ein",
            "eine",
            "einen",
            "und",
            "nicht",
            "ist",
            "sind",
            "für",
            "von",
            "mit",
            "auf",
            "wenn",
            "welche",
            "welcher",
            "warum",
            "zu",
            "funktioniert",
            "im",
            "beim",
            "zum",
            "zur",
            "kann",
            "man",
            "ich",
        ],
    ),
    (
        Tongue::French,
        &[
            "comment",
            "où",
            "est",
            "sont",
            "le",
            "la",
            "les",
            "des",
            "du",
            "un",
            "une",
            "et",
            "dans",
            "pour",
            "avec",
            "quand",
            "pourquoi",
            "quelle",
            "quel",
            "qui",
            "que",
            "sur",
            "fonctionne",
            "ne",
            "pas",
            "au",
            "aux",
            "ce",
            "cette",
        ],
    ),
    (
        Tongue::Spanish,
        &[
            "cómo", "como", "dónde", "donde", "está", "se", "el", "la", "los", "las", "del", "un",
            "una", "y", "en", "para", "con", "cuando", "cuándo", "qué", "cuál", "por", "funciona",
            "no", "al", "es", "son",
        ],
    ),
];

/// English words, and beginnings of words that mean them in German, French, Spanish, Chinese, Japanese and Russian.
const GLOSSARY: &[(&str, &[&str])] = &[
    (
        "authentication login",
        &[
            "authentifizier",
            "anmeld",
            "connexion",
            "authentifi",
            "autentic",
            "iniciar",
            "认证",
            "登录",
            "認証",
            "ログイン",
            "аутентиф",
        ],
    ),
    (
        "authorization permission",
        &["berechtig", "autoris", "permis", "autoriz", "权限", "授权", "権限", "разреш"],
    ),
    ("cache", &["zwischenspeich", "antémémoire", "caché", "缓存", "キャッシュ", "кэш"]),
    (
        "configuration settings",
        &[
            "konfigur",
            "einstell",
            "réglage",
            "paramétr",
            "configur",
            "ajuste",
            "配置",
            "设置",
            "設定",
            "настро",
        ],
    ),
    ("connection", &["verbind", "connexion", "conexi", "连接", "接続", "соедин", "подключ"]),
    ("database", &["datenbank", "base", "数据库", "データベース", "баз"]),
    (
        "delete remove",
        &["lösch", "entfern", "supprim", "efface", "elimin", "borra", "删除", "削除", "удал"],
    ),
    (
        "error exception",
        &[
            "fehler",
            "ausnahme",
            "erreur",
            "exception",
            "error",
            "excepci",
            "错误",
            "异常",
            "エラー",
            "例外",
            "ошиб",
        ],
    ),
    ("event", &["ereignis", "événement", "evento", "事件", "イベント", "событ"]),
    ("file", &["datei", "fichier", "archivo", "fichero", "文件", "ファイル", "файл"]),
    (
        "folder directory",
        &[
            "ordner",
            "verzeichnis",
            "dossier",
            "répertoire",
            "carpeta",
            "directorio",
            "目录",
            "ディレクトリ",
            "папк",
        ],
    ),
    (
        "request",
        &[
            "anfrage",
            "anforder",
            "requête",
            "demande",
            "petici",
            "solicitud",
            "请求",
            "リクエスト",
            "запрос",
        ],
    ),
    ("response answer", &["antwort", "réponse", "respuesta", "响应", "レスポンス", "ответ"]),
    ("route routing", &["weiterleit", "routage", "ruta", "enruta", "路由", "ルート", "маршрут"]),
    ("session", &["sitzung", "session", "sesión", "会话", "セッション", "сесси"]),
    ("user", &["benutzer", "nutzer", "utilisateur", "usuario", "用户", "ユーザ", "пользовател"]),
    ("password", &["passwort", "kennwort", "passe", "contraseña", "密码", "パスワード", "парол"]),
    (
        "validation check",
        &[
            "validier",
            "prüf",
            "überprüf",
            "valid",
            "vérifi",
            "verific",
            "comprueb",
            "验证",
            "校验",
            "検証",
            "провер",
        ],
    ),
    (
        "parse",
        &["pars", "zerleg", "analyse", "analiz", "interpret", "解析", "パース", "разбор", "разбир"],
    ),
    (
        "read",
        &[
            "lesen", "gelesen", "liest", "lire", "lecture", "lee", "lectura", "读取", "読", "чита",
            "чтен",
        ],
    ),
    ("write", &["schreib", "geschrieben", "écri", "escrib", "escrit", "写入", "書き", "запис"]),
    (
        "save store",
        &[
            "speicher",
            "gespeichert",
            "enregistr",
            "sauvegard",
            "guarda",
            "almacen",
            "保存",
            "存储",
            "сохран",
        ],
    ),
    ("memory", &["arbeitsspeicher", "mémoire", "memoria", "内存", "メモリ", "памят"]),
    ("load", &["laden", "geladen", "charge", "carga", "加载", "読み込", "загру"]),
    (
        "send",
        &[
            "senden",
            "gesendet",
            "schick",
            "envoi",
            "envoy",
            "envía",
            "enviar",
            "发送",
            "送信",
            "отправ",
        ],
    ),
    ("receive", &["empfang", "recevoir", "reçoi", "recib", "接收", "受信", "получ"]),
    ("message", &["nachricht", "meldung", "message", "mensaje", "消息", "メッセージ", "сообщен"]),
    ("log logging", &["protokoll", "journalis", "registro", "日志", "ログ", "журнал", "лог"]),
    ("test", &["getestet", "prueba", "测试", "テスト", "тест"]),
    (
        "start run",
        &[
            "starte",
            "gestartet",
            "ausführ",
            "démarr",
            "exécut",
            "lanc",
            "inicia",
            "ejecut",
            "启动",
            "运行",
            "執行",
            "実行",
            "起動",
            "запус",
        ],
    ),
    (
        "stop shutdown",
        &["beend", "stopp", "arrêt", "detener", "detien", "停止", "关闭", "终了", "останов"],
    ),
    ("template", &["vorlage", "gabarit", "modèle", "plantilla", "模板", "テンプレート", "шаблон"]),
    (
        "component",
        &["komponent", "bauteil", "composant", "componente", "组件", "コンポーネント", "компонент"],
    ),
    (
        "render",
        &[
            "darstell",
            "gerendert",
            "rendu",
            "affich",
            "renderiz",
            "mostrar",
            "渲染",
            "レンダリング",
            "отрис",
        ],
    ),
    ("translate locale", &["übersetz", "traduc", "traduit", "traduce", "翻译", "翻訳", "перев"]),
    ("thread", &["faden", "fil", "hilo", "线程", "スレッド", "поток"]),
    ("queue", &["warteschlange", "file d'attente", "cola", "队列", "キュー", "очеред"]),
    ("lock", &["sperr", "verrou", "bloqueo", "锁", "ロック", "блокир"]),
    ("task job", &["aufgabe", "tâche", "tarea", "任务", "タスク", "задач"]),
    ("key", &["schlüssel", "clé", "clave", "键", "キー", "ключ"]),
    ("value", &["wert", "valeur", "valor", "值", "値", "значен"]),
    ("list", &["liste", "lista", "列表", "リスト", "спис"]),
    ("string text", &["zeichenkette", "chaîne", "cadena", "字符串", "文字列", "строк"]),
    ("number", &["zahl", "nombre", "número", "数字", "数値", "числ"]),
    (
        "time timeout",
        &["zeit", "temps", "délai", "tiempo", "超时", "时间", "時間", "タイムアウト", "врем"],
    ),
    (
        "search find",
        &[
            "such",
            "gefunden",
            "cherch",
            "recherch",
            "busca",
            "encuentr",
            "搜索",
            "查找",
            "検索",
            "поиск",
            "найти",
        ],
    ),
    ("sort", &["sortier", "trier", "tri", "orden", "排序", "ソート", "сортир"]),
    ("filter", &["filter", "filtr", "过滤", "フィルタ", "фильтр"]),
    ("create", &["erstell", "erzeug", "cré", "crea", "创建", "作成", "созда"]),
    (
        "update change",
        &[
            "aktualisier",
            "änder",
            "geändert",
            "mise",
            "modifi",
            "actualiz",
            "更新",
            "修改",
            "変更",
            "обнов",
            "измен",
        ],
    ),
    ("register", &["registrier", "enregistre", "registra", "注册", "登録", "регистр"]),
    ("server", &["server", "serveur", "servidor", "服务器", "サーバ", "сервер"]),
    ("client", &["client", "klient", "cliente", "客户端", "クライアント", "клиент"]),
    ("expire expiry", &["ablauf", "abgelauf", "expir", "caduc", "过期", "期限", "истек"]),
    (
        "encrypt sign",
        &[
            "verschlüssel",
            "signier",
            "chiffr",
            "signé",
            "cifra",
            "firma",
            "加密",
            "签名",
            "暗号",
            "署名",
            "шифр",
            "подпис",
        ],
    ),
    ("structure struct", &["struktur", "structure", "estructura", "结构", "構造", "структур"]),
    ("function", &["funktion", "fonction", "función", "函数", "関数", "функци"]),
    ("middleware", &["zwischenschicht", "intergiciel", "中间件", "ミドルウェア"]),
    ("dependency", &["abhängig", "dépendance", "dependencia", "依赖", "依存", "зависим"]),
    ("version", &["version", "versión", "版本", "バージョン", "верси"]),
    (
        "compile build",
        &["kompilier", "compil", "construi", "编译", "构建", "コンパイル", "компил", "сборк"],
    ),
    (
        "plugin extension",
        &["erweiter", "greffon", "extensión", "complemento", "插件", "プラグイン", "плагин"],
    ),
    ("retry", &["wiederhol", "réessa", "reintent", "重试", "再試行", "повтор"]),
    ("limit", &["begrenz", "grenze", "limite", "límite", "限制", "制限", "ограничен"]),
];

/// A question in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    pub tongue: Tongue,
    /// English words for those of its words that are listed.
    pub english: Vec<&'static str>,
}

/// Whether a lower-case word is one that every sentence of the language has.
pub(crate) fn is_function_word(tongue: Tongue, word: &str) -> bool {
    FUNCTION_WORDS.iter().any(|(one, words)| *one == tongue && words.contains(&word))
}

impl Foreign {
    /// The note on an answer to such a question.
    pub fn note(&self) -> String {
        format!(
            "the built-in model reads English; this question in {} was answered by the words it shares with the code",
            self.tongue.name()
        )
    }
}

/// The language of a question, if it is not English.
pub(crate) fn foreign(query: &str) -> Option<Foreign> {
    let lower = query.to_lowercase();
    let tongue = tongue(&lower)?;
    let mut english: Vec<&'static str> = Vec::new();
    for (words, beginnings) in GLOSSARY {
        let is_said = beginnings.iter().any(|beginning| match tongue {
            // Without spaces between words there are no beginnings.
            Tongue::Script => !beginning.is_ascii() && lower.contains(beginning),
            _ => spoken_words(&lower).any(|word| word.starts_with(beginning)),
        });
        if is_said {
            english.extend(words.split(' '));
        }
    }
    english.truncate(12);
    Some(Foreign { tongue, english })
}

fn spoken_words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn tongue(lower: &str) -> Option<Tongue> {
    let letters = lower.chars().filter(|c| c.is_alphabetic()).count();
    // Beyond Latin letters with accents.
    let script = lower.chars().filter(|c| c.is_alphabetic() && *c as u32 > 0x024f).count();
    if script > 1 && 4 * script >= letters {
        return Some(Tongue::Script);
    }
    let words: Vec<&str> = spoken_words(lower).collect();
    let said = |known: &[&str]| words.iter().filter(|word| known.contains(*word)).count();
    let scored = FUNCTION_WORDS.iter().map(|(tongue, known)| (said(known), *tongue));
    let (count, tongue) = scored.max_by_key(|(count, _)| *count)?;
    // Two words, and no fewer than a quarter: `la`, `die` and `no` are words of code, too.
    (count >= 2 && 4 * count >= words.len() && !is_english(&words)).then_some(tongue)
}

/// Whether words are among those that only English sentences have.
fn is_english(words: &[&str]) -> bool {
    const ENGLISH: [&str; 14] = [
        "the", "is", "are", "how", "where", "what", "which", "does", "of", "to", "and", "with",
        "for", "when",
    ];
    words.iter().filter(|word| ENGLISH.contains(word)).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_in_other_languages_are_recognised() {
        let cases = [
            ("wie wird die Sitzung gespeichert", Tongue::German, "session"),
            ("comment fonctionne la validation des structures", Tongue::French, "validation"),
            ("¿dónde se traduce la interfaz al alemán?", Tongue::Spanish, "translate"),
            ("在哪里验证用户的密码", Tongue::Script, "password"),
            ("где хранится сессия пользователя", Tongue::Script, "session"),
        ];
        for (query, tongue, word) in cases {
            let found = foreign(query).unwrap_or_else(|| panic!("{query}"));
            assert_eq!(found.tongue, tongue, "{query}");
            assert!(found.english.contains(&word), "{query}: {:?}", found.english);
        }
    }

    #[test]
    fn english_questions_and_code_are_not() {
        for query in [
            "how are sessions stored",
            "where is the el in la loop",
            "die on error",
            "Größe",
            "get_user",
            "µ-law encoder",
        ] {
            assert_eq!(foreign(query), None, "{query}");
        }
    }
}
