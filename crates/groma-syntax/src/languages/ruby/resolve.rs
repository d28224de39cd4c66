//! Ruby: `require` against the load paths a project usually has, `require_relative` beside the file.
//!
//! Both are imports of the same form here. A name of the standard library is searched for on the load paths only,
//! because a file beside the requiring one would be named relatively.

use crate::resolve::{
    Files, ImportRules, ancestors, join, last_part, only_nearest, parent, root_of,
};
use groma_core::RelPath;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve) };

#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "base64", "benchmark", "bigdecimal", "bundler", "cgi", "csv", "date", "delegate", "digest", "drb", "erb",
    "etc", "fiddle", "fileutils", "find", "forwardable", "io/console", "ipaddr", "irb", "json", "logger",
    "matrix", "minitest", "monitor", "net/http", "observer", "open-uri", "open3", "openssl", "optparse",
    "ostruct", "pathname", "pp", "prime", "pstore", "psych", "rake", "rdoc", "readline", "resolv", "ripper",
    "securerandom", "set", "shellwords", "singleton", "socket", "stringio", "strscan", "syslog", "tempfile",
    "time", "timeout", "tmpdir", "tsort", "uri", "weakref", "yaml", "zlib",
];

fn resolve(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let file = if import.ends_with(".rb") { import.to_string() } else { format!("{import}.rb") };
    let beside = || join(from.folder(), &file).and_then(|path| files.get(&path));
    let found = if import.starts_with('.') {
        beside()
    } else {
        on_load_path(files, from, &file)
            .or_else(|| if STANDARD.contains(&import) { None } else { beside() })
    };
    found.into_iter().collect()
}

fn on_load_path(files: &Files, from: &RelPath, file: &str) -> Option<RelPath> {
    let above = ancestors(from.folder()).find_map(|folder| {
        let own = is_load_path(folder).then(|| files.get(&join(folder, file)?)).flatten();
        own.or_else(|| files.get(&join(folder, &format!("lib/{file}"))?))
    });
    above.or_else(|| {
        let fitting = files.ending(file).filter(|path| is_load_path(root_of(path.as_str(), file)));
        only_nearest(from, fitting)
    })
}

/// `lib`, the folders of tests, and those directly in `app`.
fn is_load_path(folder: &str) -> bool {
    matches!(last_part(folder), "lib" | "spec" | "test") || last_part(parent(folder)) == "app"
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
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
}
