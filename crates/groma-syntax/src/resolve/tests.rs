//! What imports resolve to: a small project per language and a table of imports in it.

use super::ImportMap;
use groma_core::{Import, RelPath};

/// Manifests as (path, text); they are files of the project too.
type Manifests<'a> = &'a [(&'a str, &'a str)];

/// The importing file, the import, and the files it stands for, separated by spaces.
type Cases<'a> = &'a [(&'a str, &'a str, &'a str)];

#[track_caller]
fn check(language: &str, paths: &str, manifests: Manifests<'_>, cases: Cases<'_>) {
    let path = |text: &str| RelPath::new(text).unwrap();
    let texts: Vec<_> =
        manifests.iter().map(|(name, text)| (path(name), text.to_string())).collect();
    for (name, _) in &texts {
        assert!(ImportMap::is_manifest(name), "{name} is not taken for a manifest");
    }
    let names = manifests.iter().map(|(name, _)| path(name));
    let map = ImportMap::new(paths.split_whitespace().map(path).chain(names), &texts);
    for (from, import, expected) in cases {
        let import = Import { path: import.to_string(), line: 1 };
        let found = map.resolve(&path(from), language, &import);
        let found: Vec<&str> = found.iter().map(RelPath::as_str).collect();
        assert_eq!(found.join(" "), *expected, "{language}: `{}` in {from}", import.path);
    }
}

#[test]
fn go() {
    check(
        "go",
        "main.go net/pool.go net/conn.go net/pool_test.go net/deep/a.go tools/gen/gen.go tools/main.go
         forked/log/log.go vendor/github.com/pkg/errors/errors.go other/x/x.go",
        &[
            ("go.mod", "module example.com/app // the app\n\ngo 1.22\n\nreplace (\n\texample.com/log v1.0.0 => ./forked/log\n)\nreplace example.com/x => ./other/x\n"),
            ("tools/go.mod", "module example.com/app/tools\n"),
        ],
        &[
            ("main.go", "example.com/app/net", "net/conn.go net/pool.go"),
            ("main.go", "example.com/app/net/deep", "net/deep/a.go"),
            ("net/pool.go", "example.com/app", "main.go"),
            ("net/pool_test.go", "example.com/app/net", "net/conn.go net/pool.go"),
            ("main.go", "example.com/app/tools/gen", "tools/gen/gen.go"),
            ("tools/main.go", "example.com/app/tools/gen", "tools/gen/gen.go"),
            ("main.go", "example.com/log", "forked/log/log.go"),
            ("main.go", "example.com/x", "other/x/x.go"),
            ("main.go", "github.com/pkg/errors", "vendor/github.com/pkg/errors/errors.go"),
            ("main.go", "example.com/application", ""),
            ("main.go", "fmt", ""),
            ("main.go", "net", ""),
        ],
    );
}

#[test]
fn go_modules_of_one_name() {
    check(
        "go",
        "a/main.go a/x/x.go b/main.go b/x/x.go",
        &[("a/go.mod", "module demo"), ("b/go.mod", "module demo")],
        &[("a/main.go", "demo/x", "a/x/x.go"), ("b/main.go", "demo/x", "b/x/x.go")],
    );
}

const WORKSPACE: Manifests<'_> = &[
    (
        "Cargo.toml",
        "[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\nshop-core = { path = \"crates/shop-core\" }\nserde = \"1\"\n",
    ),
    ("crates/shop-core/Cargo.toml", "[package]\nname = \"shop-core\"\nedition = \"2024\"\n"),
    (
        "crates/shop/Cargo.toml",
        "[package]\nname = \"shop\"\nedition.workspace = true\n[dependencies]\nshop-core.workspace = true\nserde.workspace = true\nold = { package = \"legacy\", path = \"../../legacy\" }\n",
    ),
    ("legacy/Cargo.toml", "[package]\nname = \"legacy\"\n[lib]\npath = \"source/root.rs\"\n"),
    ("fixtures/serde/Cargo.toml", "[package]\nname = \"rand\"\n"),
    ("broken/Cargo.toml", "[package\n"),
];

#[test]
fn rust() {
    check(
        "rust",
        "crates/shop-core/src/lib.rs crates/shop-core/src/path.rs crates/shop-core/src/store/mod.rs
         crates/shop-core/src/store/disk.rs crates/shop-core/src/store/disk/page.rs
         crates/shop-core/src/store/tests.rs crates/shop-core/src/memory.rs
         crates/shop/src/main.rs crates/shop/src/args.rs crates/shop/src/bin/extra.rs
         crates/shop/tests/it/main.rs crates/shop/tests/it/cart.rs crates/shop/tests/common/mod.rs
         crates/shop/tests/smoke.rs crates/shop/build.rs fixtures/serde/src/lib.rs
         legacy/source/root.rs legacy/source/util.rs legacy/source/log.rs",
        WORKSPACE,
        &[
            ("crates/shop-core/src/lib.rs", "self::path", "crates/shop-core/src/path.rs"),
            ("crates/shop-core/src/lib.rs", "self::store", "crates/shop-core/src/store/mod.rs"),
            (
                "crates/shop-core/src/lib.rs",
                "store::disk::Disk",
                "crates/shop-core/src/store/disk.rs",
            ),
            (
                "crates/shop-core/src/store/mod.rs",
                "self::disk",
                "crates/shop-core/src/store/disk.rs",
            ),
            (
                "crates/shop-core/src/store/disk.rs",
                "self::page",
                "crates/shop-core/src/store/disk/page.rs",
            ),
            (
                "crates/shop-core/src/store/disk.rs",
                "super::Store",
                "crates/shop-core/src/store/mod.rs",
            ),
            (
                "crates/shop-core/src/store/disk.rs",
                "super::super::memory::Memory",
                "crates/shop-core/src/memory.rs",
            ),
            (
                "crates/shop-core/src/store/disk/page.rs",
                "super::super::Store",
                "crates/shop-core/src/store/mod.rs",
            ),
            (
                "crates/shop-core/src/store/disk/page.rs",
                "crate::path::RelPath",
                "crates/shop-core/src/path.rs",
            ),
            ("crates/shop-core/src/store/disk.rs", "crate::Error", "crates/shop-core/src/lib.rs"),
            (
                "crates/shop-core/src/path.rs",
                "crate::store::disk::page::Page::new",
                "crates/shop-core/src/store/disk/page.rs",
            ),
            (
                "crates/shop-core/src/path.rs",
                "crate::r#store::*",
                "crates/shop-core/src/store/mod.rs",
            ),
            ("crates/shop-core/src/path.rs", "super::*", ""),
            (
                "crates/shop-core/src/store/tests.rs",
                "super::*",
                "crates/shop-core/src/store/mod.rs",
            ),
            ("crates/shop-core/src/path.rs", "std::path::Path", ""),
            ("crates/shop/src/main.rs", "self::args", "crates/shop/src/args.rs"),
            ("crates/shop/src/args.rs", "crate::Config", "crates/shop/src/main.rs"),
            ("crates/shop/src/main.rs", "shop_core::path::RelPath", "crates/shop-core/src/path.rs"),
            ("crates/shop/src/main.rs", "::shop_core::RelPath", "crates/shop-core/src/lib.rs"),
            ("crates/shop/src/main.rs", "shop_core", "crates/shop-core/src/lib.rs"),
            ("crates/shop/src/main.rs", "old::util::Thing", "legacy/source/util.rs"),
            ("crates/shop/src/main.rs", "serde::Serialize", ""),
            ("crates/shop/src/main.rs", "rand::Rng", ""),
            (
                "crates/shop/src/bin/extra.rs",
                "shop_core::store",
                "crates/shop-core/src/store/mod.rs",
            ),
            ("crates/shop/tests/it/main.rs", "self::cart", "crates/shop/tests/it/cart.rs"),
            ("crates/shop/tests/it/cart.rs", "crate::Fixture", "crates/shop/tests/it/main.rs"),
            ("crates/shop/tests/smoke.rs", "self::common", "crates/shop/tests/common/mod.rs"),
            ("legacy/source/root.rs", "self::util", "legacy/source/util.rs"),
            ("legacy/source/util.rs", "crate::Thing", "legacy/source/root.rs"),
            ("legacy/source/util.rs", "log::Line", "legacy/source/log.rs"),
        ],
    );
}

#[test]
fn rust_without_manifests() {
    check(
        "rust",
        "src/lib.rs src/a.rs src/a/b.rs",
        &[],
        &[
            ("src/lib.rs", "self::a", "src/a.rs"),
            ("src/a/b.rs", "crate::Root", "src/lib.rs"),
            ("src/a/b.rs", "super::A", "src/a.rs"),
            ("src/a.rs", "b::B", "src/a/b.rs"),
            ("src/a.rs", "serde::Serialize", ""),
        ],
    );
}

#[test]
fn python() {
    check(
        "python",
        "src/shop/__init__.py src/shop/cart.py src/shop/net/__init__.py src/shop/net/pool.py
         src/shop/net/_speed.pyi src/shop/json.py tests/test_cart.py tests/helpers.py
         scripts/run.py scripts/common.py services/billing/billing/__init__.py services/billing/billing/tax.py
         services/billing/tests/test_tax.py vendor/json/__init__.py ns/tool/main.py code/extra.py",
        &[
            ("pyproject.toml", "[tool.setuptools.packages.find]\nwhere = [\"src\"]\n[tool.pytest.ini_options]\npythonpath = [\"code\"]\n"),
            ("services/billing/pyproject.toml", "not toml"),
        ],
        &[
            ("src/shop/cart.py", "shop.net.pool", "src/shop/net/pool.py"),
            ("src/shop/cart.py", "shop.net.pool.Pool", "src/shop/net/pool.py"),
            ("src/shop/cart.py", "shop.net", "src/shop/net/__init__.py"),
            ("src/shop/cart.py", "shop.net.Thing", "src/shop/net/__init__.py"),
            ("src/shop/cart.py", "shop.Thing", "src/shop/__init__.py"),
            ("src/shop/cart.py", "shop.net._speed.fast", "src/shop/net/_speed.pyi"),
            ("src/shop/cart.py", "shop.a.b.c", ""),
            ("src/shop/net/pool.py", ".", "src/shop/net/__init__.py"),
            ("src/shop/net/pool.py", ".Thing", "src/shop/net/__init__.py"),
            ("src/shop/net/__init__.py", ".pool", "src/shop/net/pool.py"),
            ("src/shop/net/__init__.py", ".pool.Pool", "src/shop/net/pool.py"),
            ("src/shop/net/__init__.py", ".own_name", ""),
            ("src/shop/net/pool.py", "..cart.Cart", "src/shop/cart.py"),
            ("src/shop/net/pool.py", "..cart", "src/shop/cart.py"),
            ("src/shop/net/pool.py", ".....cart", ""),
            ("tests/test_cart.py", "shop.cart.Cart", "src/shop/cart.py"),
            ("tests/test_cart.py", "helpers.make", "tests/helpers.py"),
            ("tests/test_cart.py", "extra", "code/extra.py"),
            ("scripts/run.py", "common", "scripts/common.py"),
            ("tests/test_cart.py", "common", ""),
            ("scripts/run.py", "ns.tool.main", "ns/tool/main.py"),
            ("services/billing/tests/test_tax.py", "billing.tax.rate", "services/billing/billing/tax.py"),
            ("scripts/run.py", "billing.tax", "services/billing/billing/tax.py"),
            ("src/shop/cart.py", "json", ""),
            ("src/shop/cart.py", "os.path.join", ""),
            ("src/shop/cart.py", "requests", ""),
        ],
    );
}

#[test]
fn scripts() {
    check(
        "typescript",
        "web/src/main.ts web/src/app.tsx web/src/util/index.ts web/src/util/date.ts web/src/data.json
         web/src/view.vue web/src/types.d.ts web/src/old.js web/src/conf.cjs web/src/style.css
         web/src/lib/own.ts packages/core/src/index.ts packages/core/src/net.ts packages/core/deep/file.js
         packages/ui/source/entry.ts packages/ui/source/button.tsx packages/plain/index.js
         packages/named/lib/start.js shared/src/a.ts index.js",
        &[
            ("web/tsconfig.json", "{\n  // where\n  \"extends\": \"../tsconfig.base.json\",\n  \"compilerOptions\": { /* all */ \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"./src/*\"], \"@/special\": [\"src/old.js\"], }, },\n}"),
            ("web/package.json", "{\"name\": \"web\", \"imports\": {\"#own/*\": \"./src/lib/*.js\"}}"),
            ("tsconfig.base.json", "{\"compilerOptions\": {\"paths\": {\"shared/*\": [\"shared/src/*\"]}}}"),
            ("packages/core/package.json", "{\"name\": \"@shop/core\", \"main\": \"dist/index.js\", \"exports\": {\".\": {\"import\": \"./dist/index.js\"}, \"./network\": \"./dist/net.js\"}}"),
            ("packages/ui/package.json", "{\"name\": \"ui\", \"source\": \"source/entry.ts\", \"exports\": {\".\": \"./dist/entry.js\", \"./*\": {\"default\": \"./source/*.tsx\"}}}"),
            ("packages/plain/package.json", "{\"name\": \"plain\", \"main\": \".\"}"),
            ("packages/named/package.json", "{\"name\": \"named\", \"main\": \"./lib/start\"}"),
            ("packages/broken/package.json", "{"),
        ],
        &[
            ("web/src/main.ts", "./app", "web/src/app.tsx"),
            ("web/src/main.ts", "./app.js", "web/src/app.tsx"),
            ("web/src/main.ts", "./util", "web/src/util/index.ts"),
            ("web/src/main.ts", "./util/", "web/src/util/index.ts"),
            ("web/src/main.ts", "./util/date.js", "web/src/util/date.ts"),
            ("web/src/util/date.ts", ".", "web/src/util/index.ts"),
            ("web/src/util/date.ts", "../app", "web/src/app.tsx"),
            ("web/src/main.ts", "./data.json", "web/src/data.json"),
            ("web/src/main.ts", "./view", "web/src/view.vue"),
            ("web/src/main.ts", "./types", "web/src/types.d.ts"),
            ("web/src/main.ts", "./old", "web/src/old.js"),
            ("web/src/main.ts", "./conf", "web/src/conf.cjs"),
            ("web/src/main.ts", "./style.css?inline", "web/src/style.css"),
            ("web/src/main.ts", "../..", "index.js"),
            ("web/src/main.ts", "../../../outside", ""),
            ("web/src/main.ts", "@/util/date", "web/src/util/date.ts"),
            ("web/src/main.ts", "@/special", "web/src/old.js"),
            ("web/src/main.ts", "src/app", "web/src/app.tsx"),
            ("web/src/main.ts", "#own/own", "web/src/lib/own.ts"),
            ("web/src/main.ts", "shared/a", "shared/src/a.ts"),
            ("web/src/main.ts", "@shop/core", "packages/core/src/index.ts"),
            ("web/src/main.ts", "@shop/core/network", "packages/core/src/net.ts"),
            ("web/src/main.ts", "@shop/core/deep/file", "packages/core/deep/file.js"),
            ("web/src/main.ts", "@shop/core/net", "packages/core/src/net.ts"),
            ("web/src/main.ts", "ui", "packages/ui/source/entry.ts"),
            ("web/src/main.ts", "ui/button", "packages/ui/source/button.tsx"),
            ("web/src/main.ts", "plain", "packages/plain/index.js"),
            ("web/src/main.ts", "named", "packages/named/lib/start.js"),
            ("packages/core/src/net.ts", "../../named", "packages/named/lib/start.js"),
            ("web/src/main.ts", "react", ""),
            ("web/src/main.ts", "@scope/other", ""),
            ("web/src/main.ts", "node:fs", ""),
        ],
    );
}

#[test]
fn scripts_without_manifests() {
    check(
        "javascript",
        "src/a.js src/pages/b.jsx public/x.js",
        &[],
        &[
            ("src/pages/b.jsx", "@/a", "src/a.js"),
            ("src/pages/b.jsx", "~/a", "src/a.js"),
            ("src/pages/b.jsx", "/src/a.js", "src/a.js"),
            ("src/pages/b.jsx", "a", ""),
        ],
    );
}

#[test]
fn java() {
    check(
        "java",
        "app/src/main/java/com/shop/Cart.java app/src/main/java/com/shop/net/Pool.java
         app/src/main/java/util/Lists.java app/src/test/java/com/shop/CartTest.java
         app/src/test/java/com/shop/net/PoolTest.java lib/src/main/java/com/shop/Cart.java
         lib/src/main/kotlin/com/shop/Money.kt other/src/main/java/com/shop/Other.java",
        &[],
        &[
            (
                "app/src/main/java/com/shop/net/Pool.java",
                "com.shop.Cart",
                "app/src/main/java/com/shop/Cart.java",
            ),
            (
                "lib/src/main/java/com/shop/X.java",
                "com.shop.Cart",
                "lib/src/main/java/com/shop/Cart.java",
            ),
            (
                "app/src/main/java/com/shop/Cart.java",
                "com.shop.net.Pool.Builder",
                "app/src/main/java/com/shop/net/Pool.java",
            ),
            (
                "app/src/main/java/com/shop/Cart.java",
                "static com.shop.net.Pool.Builder.make",
                "app/src/main/java/com/shop/net/Pool.java",
            ),
            (
                "app/src/main/java/com/shop/Cart.java",
                "com.shop.net.Pool.*",
                "app/src/main/java/com/shop/net/Pool.java",
            ),
            (
                "app/src/main/java/com/shop/Cart.java",
                "com.shop.net.*",
                "app/src/main/java/com/shop/net/Pool.java app/src/test/java/com/shop/net/PoolTest.java",
            ),
            (
                "app/src/main/java/com/shop/Cart.java",
                "com.shop.net",
                "app/src/main/java/com/shop/net/Pool.java app/src/test/java/com/shop/net/PoolTest.java",
            ),
            (
                "app/src/main/java/com/shop/Cart.java",
                "com.shop.Money",
                "lib/src/main/kotlin/com/shop/Money.kt",
            ),
            ("app/src/main/java/com/shop/Cart.java", "com.shop.Generated", ""),
            ("app/src/main/java/com/shop/Cart.java", "java.util.*", ""),
            ("app/src/main/java/com/shop/Cart.java", "java.util.Lists", ""),
            ("app/src/main/java/com/shop/Cart.java", "org.junit.Test", ""),
        ],
    );
}

#[test]
fn kotlin_and_scala() {
    let paths = "app/src/main/kotlin/com/shop/Cart.kt app/src/main/kotlin/com/shop/text/format.kt
         app/src/main/kotlin/com/shop/text/Words.kt app/src/main/kotlin/short/Name.kt
         app/src/commonMain/kotlin/com/multi/Clock.kt app/src/jvmMain/kotlin/com/multi/Clock.kt
         app/src/main/java/com/shop/Old.java app/src/main/scala/com/shop/models/User.scala
         app/src/main/scala/com/shop/models/Order.scala";
    let from = "app/src/main/kotlin/com/shop/Main.kt";
    let clocks =
        "app/src/commonMain/kotlin/com/multi/Clock.kt app/src/jvmMain/kotlin/com/multi/Clock.kt";
    let text =
        "app/src/main/kotlin/com/shop/text/Words.kt app/src/main/kotlin/com/shop/text/format.kt";
    check(
        "kotlin",
        paths,
        &[],
        &[
            (from, "com.shop.Cart", "app/src/main/kotlin/com/shop/Cart.kt"),
            (from, "com.shop.Cart as Basket", "app/src/main/kotlin/com/shop/Cart.kt"),
            (from, "com.shop.Cart.Companion.EMPTY", "app/src/main/kotlin/com/shop/Cart.kt"),
            (from, "com.shop.Old", "app/src/main/java/com/shop/Old.java"),
            (from, "com.shop.text.capitalise", text),
            (from, "com.shop.text.*", text),
            (from, "com.shop.text..*", text),
            (from, "org.example.short.Name", "app/src/main/kotlin/short/Name.kt"),
            (from, "com.multi.Clock", clocks),
            (from, "kotlin.collections.List", ""),
            (from, "org.junit.Test", ""),
        ],
    );
    let from = "app/src/main/scala/com/shop/Main.scala";
    let models = "app/src/main/scala/com/shop/models/Order.scala app/src/main/scala/com/shop/models/User.scala";
    check(
        "scala",
        paths,
        &[],
        &[
            (from, "com.shop.models.User", "app/src/main/scala/com/shop/models/User.scala"),
            (from, "com.shop.models.{User, Order => O}", models),
            (from, "com.shop.models._", models),
            (from, "models.User", "app/src/main/scala/com/shop/models/User.scala"),
            (from, "scala.collection.mutable", ""),
        ],
    );
}

#[test]
fn c_and_cpp() {
    check(
        "c",
        "src/main.c src/net/pool.c src/net/pool.h src/util/list.h include/shop/cart.h include/shop/net/pool.h
         third/a/include/dup.h third/b/include/dup.h src/compat/string.h lib/x/config.h config.h",
        &[],
        &[
            ("src/net/pool.c", "pool.h", "src/net/pool.h"),
            ("src/net/pool.c", "../util/list.h", "src/util/list.h"),
            ("src/main.c", "net/pool.h", "src/net/pool.h"),
            ("src/main.c", "shop/cart.h", "include/shop/cart.h"),
            ("src/main.c", "shop/net/pool.h", "include/shop/net/pool.h"),
            ("src/main.c", "util\\list.h", "src/util/list.h"),
            ("src/main.c", "list.h", "src/util/list.h"),
            ("src/main.c", "config.h", "config.h"),
            ("lib/x/y/z.c", "config.h", "lib/x/config.h"),
            ("third/a/src/x.c", "dup.h", "third/a/include/dup.h"),
            ("src/main.c", "dup.h", ""),
            ("src/main.c", "string.h", ""),
            ("src/main.c", "vector", ""),
            ("src/main.c", "../../../x.h", ""),
        ],
    );
}

#[test]
fn csharp() {
    check(
        "csharp",
        "src/Shop.Core/Cart.cs src/Shop.Core/Net/Pool.cs src/Shop.Core/Net/Conn.cs src/web/Startup.cs
         src/web/Pages/Home.cs src/web/Shop.Web.csproj src/Legacy/Data/Store.cs tools/System/Clock.cs",
        &[],
        &[
            ("src/web/Startup.cs", "Shop.Core", "src/Shop.Core/Cart.cs"),
            ("src/web/Startup.cs", "Shop.Core.Net", "src/Shop.Core/Net/Conn.cs src/Shop.Core/Net/Pool.cs"),
            ("src/web/Startup.cs", "static Shop.Core.Net.Pool", "src/Shop.Core/Net/Pool.cs"),
            ("src/web/Startup.cs", "Alias = Shop.Core.Net.Pool", "src/Shop.Core/Net/Pool.cs"),
            ("src/Shop.Core/Cart.cs", "Shop.Web.Pages", "src/web/Pages/Home.cs"),
            ("src/Shop.Core/Cart.cs", "Shop.Web", "src/web/Startup.cs"),
            ("src/web/Startup.cs", "Legacy.Data", "src/Legacy/Data/Store.cs"),
            ("src/web/Startup.cs", "Data.Store", "src/Legacy/Data/Store.cs"),
            ("src/web/Startup.cs", "System", ""),
            ("src/web/Startup.cs", "System.Collections.Generic", ""),
        ],
    );
}

#[test]
fn php() {
    check(
        "php",
        "app/Http/Kernel.php app/Models/User.php packages/pay/src/Gateway.php packages/pay/tests/GatewayTest.php
         public/index.php bootstrap/app.php inc/db.inc web/modules/Shop/Cart.php",
        &[
            ("composer.json", "{\"autoload\": {\"psr-4\": {\"Acme\\\\\": \"app/\"}}}"),
            ("packages/pay/composer.json", "{\"autoload\": {\"psr-4\": {\"Acme\\\\Pay\\\\\": [\"src/\"]}}, \"autoload-dev\": {\"psr-4\": {\"Acme\\\\Pay\\\\Tests\\\\\": \"tests\"}}}"),
        ],
        &[
            ("public/index.php", "Acme\\Http\\Kernel", "app/Http/Kernel.php"),
            ("public/index.php", "\\Acme\\Models\\User as U", "app/Models/User.php"),
            ("public/index.php", "Acme\\{Http\\Kernel, Models\\User}", "app/Http/Kernel.php app/Models/User.php"),
            ("public/index.php", "Acme\\Models.User", "app/Models/User.php"),
            ("public/index.php", "Acme\\Pay\\Gateway", "packages/pay/src/Gateway.php"),
            ("public/index.php", "Acme\\Pay\\Tests\\GatewayTest", "packages/pay/tests/GatewayTest.php"),
            ("public/index.php", "App\\Http\\Kernel", "app/Http/Kernel.php"),
            ("public/index.php", "Shop\\Cart", "web/modules/Shop/Cart.php"),
            ("public/index.php", "../bootstrap/app.php", "bootstrap/app.php"),
            ("public/index.php", "/../bootstrap/app.php", "bootstrap/app.php"),
            ("public/index.php", "inc/db.inc", "inc/db.inc"),
            ("public/index.php", "Symfony\\Component\\Kernel", ""),
            ("public/index.php", "Exception", ""),
        ],
    );
}

#[test]
fn ruby() {
    check(
        "ruby",
        "lib/shop.rb lib/shop/cart.rb lib/shop/json.rb lib/shop/version.rb spec/spec_helper.rb
         spec/shop/cart_spec.rb app/models/user.rb gems/pay/lib/pay/gateway.rb config/boot.rb",
        &[],
        &[
            ("lib/shop.rb", "shop/cart", "lib/shop/cart.rb"),
            ("lib/shop.rb", "./shop/cart", "lib/shop/cart.rb"),
            ("lib/shop/cart.rb", "../shop", "lib/shop.rb"),
            ("lib/shop/cart.rb", "version", "lib/shop/version.rb"),
            ("lib/shop/cart.rb", "json", ""),
            ("spec/shop/cart_spec.rb", "spec_helper", "spec/spec_helper.rb"),
            ("spec/shop/cart_spec.rb", "shop", "lib/shop.rb"),
            ("lib/shop.rb", "user", "app/models/user.rb"),
            ("lib/shop.rb", "pay/gateway", "gems/pay/lib/pay/gateway.rb"),
            ("lib/shop.rb", "boot", ""),
            ("config/boot.rb", "../lib/shop.rb", "lib/shop.rb"),
            ("lib/shop.rb", "rails", ""),
        ],
    );
}

#[test]
fn lua() {
    check(
        "lua",
        "lua/shop/init.lua lua/shop/cart.lua src/util.lua plugin/x.lua deps/json/json.lua",
        &[],
        &[
            ("plugin/x.lua", "shop", "lua/shop/init.lua"),
            ("plugin/x.lua", "shop.cart", "lua/shop/cart.lua"),
            ("plugin/x.lua", "shop/cart", "lua/shop/cart.lua"),
            ("plugin/x.lua", "util", "src/util.lua"),
            ("plugin/x.lua", "json", "deps/json/json.lua"),
            ("plugin/x.lua", "socket.http", ""),
        ],
    );
}

#[test]
fn elixir() {
    check(
        "elixir",
        "lib/shop.ex lib/shop/cart.ex lib/shop/http_client.ex lib/shop_web/controllers/user_controller.ex
         apps/pay/lib/pay/gateway.ex test/support/data_case.ex",
        &[],
        &[
            ("lib/shop.ex", "Shop.Cart", "lib/shop/cart.ex"),
            ("lib/shop/cart.ex", "Shop", "lib/shop.ex"),
            ("lib/shop.ex", "Shop.HTTPClient", "lib/shop/http_client.ex"),
            ("lib/shop.ex", "Shop.{Cart, HTTPClient}", "lib/shop/cart.ex lib/shop/http_client.ex"),
            ("lib/shop.ex", "Shop.Cart.Line", "lib/shop/cart.ex"),
            ("lib/shop.ex", "ShopWeb.UserController", "lib/shop_web/controllers/user_controller.ex"),
            ("lib/shop.ex", "Pay.Gateway", "apps/pay/lib/pay/gateway.ex"),
            ("lib/shop.ex", "DataCase", "test/support/data_case.ex"),
            ("lib/shop.ex", "Ecto.Changeset", ""),
            ("lib/shop.ex", ":logger", ""),
        ],
    );
}

#[test]
fn haskell() {
    check(
        "haskell",
        "src/Shop/Cart.hs src/Shop/Data/Map.hs app/Main.hs src/Types.hs",
        &[],
        &[
            ("app/Main.hs", "Shop.Cart", "src/Shop/Cart.hs"),
            ("app/Main.hs", "Types", "src/Types.hs"),
            ("app/Main.hs", "Shop.Data.Map", "src/Shop/Data/Map.hs"),
            ("app/Main.hs", "Data.Map", ""),
        ],
    );
}

#[test]
fn dart() {
    check(
        "dart",
        "lib/main.dart lib/src/cart.dart packages/ui/lib/ui.dart",
        &[
            ("pubspec.yaml", "# app\nname: shop # ours\n"),
            ("packages/ui/pubspec.yaml", "name: 'ui'\n"),
        ],
        &[
            ("lib/main.dart", "package:shop/src/cart.dart", "lib/src/cart.dart"),
            ("lib/main.dart", "package:ui/ui.dart", "packages/ui/lib/ui.dart"),
            ("lib/main.dart", "src/cart.dart", "lib/src/cart.dart"),
            ("lib/src/cart.dart", "../main.dart", "lib/main.dart"),
            ("lib/main.dart", "package:flutter/material.dart", ""),
            ("lib/main.dart", "dart:io", ""),
        ],
    );
}

#[test]
fn paths_as_written() {
    check("css", "a/x.css b/y.css", &[], &[("a/x.css", "../b/y.css", "b/y.css")]);
    check(
        "zig",
        "src/main.zig src/net/pool.zig",
        &[],
        &[("src/main.zig", "net/pool.zig", "src/net/pool.zig"), ("src/main.zig", "std", "")],
    );
    check(
        "protobuf",
        "proto/shop/v1/cart.proto proto/shop/v1/money.proto third/google/type/date.proto",
        &[],
        &[
            ("proto/shop/v1/cart.proto", "shop/v1/money.proto", "proto/shop/v1/money.proto"),
            ("proto/shop/v1/cart.proto", "money.proto", "proto/shop/v1/money.proto"),
            ("proto/shop/v1/cart.proto", "google/type/date.proto", "third/google/type/date.proto"),
            ("proto/shop/v1/cart.proto", "google/protobuf/any.proto", ""),
        ],
    );
}

#[test]
fn other_languages_have_nothing() {
    check("swift", "a.swift Foundation.swift", &[], &[("a.swift", "Foundation", "")]);
    check("text", "a.txt b.txt", &[], &[("a.txt", "b.txt", ""), ("a.txt", "", "")]);
}

#[test]
fn installed_packages_are_no_manifests() {
    assert!(!ImportMap::is_manifest(&RelPath::new("web/node_modules/x/package.json").unwrap()));
    assert!(!ImportMap::is_manifest(&RelPath::new("src/main.rs").unwrap()));
}
