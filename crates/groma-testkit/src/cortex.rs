//! The project that the Cortex contract is tested with, in process and through the program.

/// Code in three languages, a document and configuration.
pub const CORTEX_FILES: &[(&str, &str)] = &[
    (
        "internal/auth/handler.go",
        "package auth\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"errors\"\n\t\"net/http\"\n\t\"time\"\n)\n\
         // AuthHandler handles authentication requests.\ntype AuthHandler struct {\n\tsessions map[string]Session\n\
         \tsecret   string\n\ttimeout  time.Duration\n}\n\n// Session is a user who was let in.\n\
         type Session struct {\n\tUser    string\n\tExpires time.Time\n}\n\n\
         // NewAuthHandler makes a handler.\nfunc NewAuthHandler(secret string) *AuthHandler {\n\
         \thandler := &AuthHandler{secret: secret}\n\thandler.sessions = map[string]Session{}\n\treturn handler\n}\n\n\
         // Login checks a password and begins a session.\n\
         func (h *AuthHandler) Login(w http.ResponseWriter, r *http.Request) {\n\
         \tif r.Method != http.MethodPost {\n\t\thttp.Error(w, \"wrong method\", 405)\n\t\treturn\n\t}\n\
         \tjson.NewEncoder(w).Encode(h.sessions)\n}\n\n\
         // Authenticate finds the session behind a token.\n\
         func (h *AuthHandler) Authenticate(ctx context.Context, token string) (*Session, error) {\n\
         \tsession, ok := h.sessions[token]\n\tif !ok {\n\t\treturn nil, errors.New(\"unknown token\")\n\t}\n\
         \treturn &session, nil\n}\n",
    ),
    (
        "internal/config/database.go",
        "package config\n\n// DatabaseHost is where database connections go.\n\
         const DatabaseHost = \"localhost\"\n\n// DatabaseTimeout is how many seconds a database connection may take.\n\
         const DatabaseTimeout = 30\n",
    ),
    (
        "docs/adr/auth.md",
        "---\ntags: [architecture, design]\n---\n# Authentication design decisions\n\n\
         Tokens were chosen over sessions in a database, because servers come and go. #auth #users\n",
    ),
    (
        "web/errors.ts",
        "/** Handles errors of a request: tells the user and logs the rest. */\n\
         export function handleRequestError(error: Error): string {\n  console.log(error.stack);\n  return error.message;\n}\n",
    ),
    (
        "tools/errors.py",
        "def handle_error(error):\n    \"\"\"Error handling patterns for scripts.\"\"\"\n    raise error\n",
    ),
];
