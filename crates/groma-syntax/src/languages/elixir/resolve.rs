//! Elixir: by convention the path of a module is its name in snake case.
//!
//! Phoenix adds a folder for the role: `ShopWeb.UserController` is in
//! `lib/shop_web/controllers/user_controller.ex`.

use crate::resolve::{Files, ImportRules, last_part, only_nearest, root_of};
use groma_core::RelPath;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve) };

fn resolve(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    if !import.starts_with(|first: char| first.is_ascii_uppercase()) {
        return Vec::new();
    }
    let path = import.split('.').map(snake_case).collect::<Vec<_>>().join("/");
    let found = exact(files, from, &path).or_else(|| with_role(files, from, &path)).or_else(|| {
        // A nested module is in the file of the outer one; the outermost name alone means the whole application.
        path.rsplit_once('/')
            .filter(|(outer, _)| outer.contains('/'))
            .and_then(|(outer, _)| exact(files, from, outer))
    });
    found.into_iter().collect()
}

fn exact(files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
    let suffixes = [format!("{path}.ex"), format!("{path}.exs")];
    let rooted = suffixes.iter().flat_map(|suffix| {
        files.ending(suffix).filter(|path| is_root(root_of(path.as_str(), suffix)))
    });
    only_nearest(from, rooted)
}

/// The file named by the last part of the path, below folders named by the other parts in order.
fn with_role(files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
    let (outer, name) = path.rsplit_once('/')?;
    let file = format!("{name}.ex");
    let fits = |candidate: &&RelPath| {
        let mut folders = candidate.folders().skip_while(|folder| !is_root(folder));
        folders.next();
        let mut folders = folders.peekable();
        folders.peek() == outer.split('/').next().as_ref()
            && outer.split('/').all(|wanted| folders.any(|folder| folder == wanted))
    };
    only_nearest(from, files.ending(&file).filter(fits))
}

fn is_root(folder: &str) -> bool {
    matches!(last_part(folder), "lib" | "support" | "web" | "test")
}

/// `HTTPClient` is `http_client`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let starts = letter.is_uppercase()
            && at > 0
            && (!letters[at - 1].is_uppercase()
                || letters.get(at + 1).is_some_and(|next| next.is_lowercase()));
        if starts && letters[at - 1] != '_' {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
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
}
