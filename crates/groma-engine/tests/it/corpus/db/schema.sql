-- Orders and their items. Prices are in cents.
create table orders (
    id text primary key,
    customer text not null,
    placed_at timestamp not null default current_timestamp
);

create table order_items (
    order_id text not null references orders (id) on delete cascade,
    article text not null,
    count integer not null check (count > 0),
    price bigint not null
);

create index order_items_by_article on order_items (article);
