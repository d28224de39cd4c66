import { useState } from "react";

/** What the customer is about to buy. */
export function ShoppingCart({ items, onCheckout }) {
  const [open, setOpen] = useState(false);
  const total = items.reduce((sum, item) => sum + item.price * item.count, 0);
  return (
    <aside className={open ? "cart open" : "cart"}>
      <button onClick={() => setOpen(!open)}>{items.length} items</button>
      <ul>{items.map((item) => <li key={item.article}>{item.article}</li>)}</ul>
      <strong>{(total / 100).toFixed(2)}</strong>
      <button onClick={() => onCheckout(items)}>Check out</button>
    </aside>
  );
}
