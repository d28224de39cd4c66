package order

import (
	"context"
	"database/sql"
)

// Order is what a customer asks for.
type Order struct {
	ID    string
	Items []Item
}

// Item is one line of an order.
type Item struct {
	Article string
	Count   int
	Price   int64
}

// Stock knows how much there is.
type Stock interface {
	Reserve(article string, count int) bool
	Release(article string, count int)
}

// OrderRepository keeps orders.
type OrderRepository interface {
	Save(ctx context.Context, order Order) error
	FindByID(ctx context.Context, id string) (Order, error)
}

// SQLRepository keeps orders in a database.
type SQLRepository struct{ db *sql.DB }

// Save writes the order and its items in one transaction.
func (r *SQLRepository) Save(ctx context.Context, order Order) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, item := range order.Items {
		if _, err := tx.ExecContext(ctx, insertItem, order.ID, item.Article, item.Count, item.Price); err != nil {
			return err
		}
	}
	return tx.Commit()
}
