//! The GoContext contract: its examples, its errors, its parameters.

mod behaviour;
mod errors;
mod examples;
mod locks;
mod parameters;
mod patterns;

use crate::client::Client;
use crate::sample::Sample;
use expect_test::Expect;
use groma_mcp::contracts::Contract;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const SHOP: &[(&str, &str)] = &[
    ("go.mod", "module github.com/dev/myproject\n\ngo 1.21\n"),
    (
        "internal/auth/service.go",
        "// Package auth lets users in.\npackage auth\n\nimport (\n\t\"errors\"\n\t\"internal/models\"\n)\n\n\
         // User is somebody who was let in.\ntype User struct {\n\tName string\n}\n\n\
         // AuthenticateUser verifies user credentials and returns authenticated user.\n\
         func AuthenticateUser(username, password string) (*User, error) {\n\
         \tif username == \"\" || password == \"\" {\n\
         \t\treturn nil, errors.New(\"username and password required\")\n\t}\n\
         \treturn models.Find(username, password)\n}\n\n\
         // ValidateToken checks if authentication token is valid\nfunc ValidateToken(token string) bool {\n\
         \treturn len(token) > 8 && models.Known(token)\n}\n",
    ),
    (
        "internal/order/order.go",
        "package order\n\n// OrderAggregate is an order with its items.\ntype OrderAggregate struct {\n\tID    int\n\
         \tItems []OrderItemVO\n}\n\n// OrderItemVO is one line of an order.\ntype OrderItemVO struct {\n\
         \tName  string\n\tCount int\n}\n\n// OrderRepository keeps orders.\ntype OrderRepository interface {\n\
         \tSave(order *OrderAggregate) error\n\tFind(id int) (*OrderAggregate, error)\n}\n\n\
         // MaxItems is how many items an order may have.\nconst MaxItems = 100\n\n\
         // defaultCurrency is what orders are paid in.\nvar defaultCurrency = \"EUR\"\n\n\
         // Money is an amount of an order in cents.\ntype Money int64\n",
    ),
    (
        "internal/order/service.go",
        "package order\n\nimport \"fmt\"\n\n// OrderService places orders.\ntype OrderService struct {\n\
         \torders OrderRepository\n\tlimit  int\n}\n\n// NewOrderService makes a service over a repository.\n\
         func NewOrderService(orders OrderRepository) *OrderService {\n\tif orders == nil {\n\
         \t\tpanic(\"no repository\")\n\t}\n\treturn &OrderService{orders: orders, limit: MaxItems}\n}\n\n\
         // Place saves an order after checking its items.\n\
         func (s *OrderService) Place(order *OrderAggregate) error {\n\tif len(order.Items) > s.limit {\n\
         \t\treturn fmt.Errorf(\"too many items: %d\", len(order.Items))\n\t}\n\
         \treturn s.orders.Save(order)\n}\n",
    ),
    (
        "internal/order/handlers.go",
        "package order\n\n// PlaceOrderCommand asks for an order to be placed.\ntype PlaceOrderCommand struct {\n\
         \tItems []OrderItemVO\n}\n\n// ProcessOrderQuery asks how far an order is.\n\
         type ProcessOrderQuery struct {\n\tID int\n}\n\n// OrderPlacedHandler tells the customer.\n\
         type OrderPlacedHandler struct {\n\tsend func(string)\n}\n",
    ),
    (
        "internal/order/service_test.go",
        "package order\n\nimport \"testing\"\n\nfunc TestPlaceRefusesTooManyItems(t *testing.T) {\n\
         \tt.Fatal(\"order\")\n}\n",
    ),
    (
        "vendor/github.com/x/bank/bank.go",
        "package bank\n\n// PayOrder was written by others.\nfunc PayOrder() {\n}\n",
    ),
    ("README.md", "# Shop\n\nAuthentication of users and their orders.\n"),
    ("web/order.ts", "export function placeOrder() {}\n"),
];

/// A Go project with a host of its own.
struct Shop {
    sample: Sample,
    folder: TempDir,
}

impl Shop {
    fn new() -> Self {
        let shop = Self { sample: Sample::new(), folder: TempDir::new().unwrap() };
        SHOP.iter().for_each(|(path, text)| shop.write(path, text));
        shop
    }

    /// The same with indexes on disk.
    fn on_disk() -> Self {
        Self { sample: Sample::on_disk(&[]), ..Self::new() }
    }

    fn indexed() -> (Self, Client) {
        Self::new().index()
    }

    fn index(self) -> (Self, Client) {
        let shop = self;
        let mut client = shop.client();
        client.json("index_codebase", json!({ "path": shop.path() }));
        (shop, client)
    }

    fn client(&self) -> Client {
        Client::start(&self.sample, &["--contract", "gocontext"])
    }

    /// A client of another server with the same indexes on disk.
    fn another_client(&self) -> Client {
        Client::connected(self.sample.host.another_process(), Contract::GoContext)
    }

    /// The folder of the sub-index on disk.
    fn sub_index(&self) -> PathBuf {
        self.sample.host.sub_index_folder(&self.root(), "gocontext")
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("shop")
    }

    fn path(&self) -> String {
        self.root().to_string_lossy().into_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The arguments of a search with this project's path added.
    fn ask(&self, mut arguments: Value) -> Value {
        arguments["path"] = json!(self.path());
        arguments
    }

    /// An answer without what differs from run to run.
    fn check(&self, answer: &Value, expected: &Expect) {
        let text = serde_json::to_string_pretty(&steady(answer.clone())).unwrap();
        expected.assert_eq(&text.replace(&self.path(), "[PATH]"));
    }
}

fn steady(mut value: Value) -> Value {
    const MEASURED: &[&str] = &[
        "project_id",
        "duration_seconds",
        "indexing_duration_seconds",
        "index_size_mb",
        "search_duration_ms",
        "relevance_score",
        "last_indexed_at",
    ];
    match &mut value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let is_measured = MEASURED.contains(&name.as_str());
                let is_id = name == "id" && field.is_u64();
                *field = match (is_measured || is_id, &*field) {
                    (true, Value::Number(_)) => json!(0),
                    (true, _) => json!("[TIME]"),
                    (false, Value::String(text)) if name == "message" => json!(timeless(text)),
                    _ => steady(field.take()),
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = steady(item.take())),
        _ => {}
    }
    value
}

/// A message without the time it names last.
fn timeless(message: &str) -> String {
    match message.split_once(" in ") {
        Some((what, took)) => {
            format!("{what} in {}", took.trim_start_matches(|c: char| "0123456789.".contains(c)))
        }
        None => message.to_string(),
    }
}

/// The names found, best first.
fn names(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|one| one["symbol"]["name"].as_str().unwrap_or("-")).collect()
}

fn paths(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|one| one["file"]["path"].as_str().unwrap()).collect()
}
