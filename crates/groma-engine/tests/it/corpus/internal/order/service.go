package order

import (
	"context"
	"errors"
)

// ErrOutOfStock says that there is not enough of an article.
var ErrOutOfStock = errors.New("order: out of stock")

// OrderService takes orders and reserves what they ask for.
type OrderService struct {
	repository OrderRepository
	stock      Stock
}

// NewOrderService makes a service over a repository.
func NewOrderService(repository OrderRepository, stock Stock) *OrderService {
	return &OrderService{repository: repository, stock: stock}
}

// PlaceOrder reserves every item and saves the order; if one item is missing, all reservations are undone.
func (s *OrderService) PlaceOrder(ctx context.Context, order Order) error {
	for done, item := range order.Items {
		if !s.stock.Reserve(item.Article, item.Count) {
			for _, earlier := range order.Items[:done] {
				s.stock.Release(earlier.Article, earlier.Count)
			}
			return ErrOutOfStock
		}
	}
	return s.repository.Save(ctx, order)
}

// Total adds up the prices of the items, in cents.
func (o Order) Total() int64 {
	var total int64
	for _, item := range o.Items {
		total += item.Price * int64(item.Count)
	}
	return total
}
