// Every construct of the grammar, and what it reads otherwise than the language.

/* A comment
   of two lines */
package fixture // after the clause

import "fmt"
import (
	. "math"
	_ "embed"
	str "strings"; "os"

	`time`
)
import ()

const Answer = 42
const One, Two int = 1, 2
const (
	Zero = iota // first
	First

	// before the last
	Last, Least = -iota, iota << 1;
)

var Global int
var Left, Right = 1, "two"
var (
	typed  map[string][]*Node = nil
	both, same float64
	values = [...]string{2: "b", "c"}
)

type Node struct {
	Value, Weight int `json:"value"`
	next, previous *Node
	Inner
	*Outer "tag"
	fmt.Stringer
	*os.File
	List[int]
	*Pair[string, []byte] `raw`
	fixed  [Answer]byte
	nested [2 * Answer][3]List[int]
	empty  struct{}
	any    interface{}
	call   func(int, ...string) (n int, err error)
	in     <-chan int; out chan<- int
	both   chan struct{ a, b int }
	odd    chan<- chan int
	paren  (Node)
}

type (
	Alias = Node
	Generic[K comparable, V any] map[K]V
	Of[T any] = List[T]
	Array [Answer]int
	Sized [Answer + 1]int
	Product [Answer * First]int
	Pointer[P *Node,] struct{}
	Bounded[A, B ~int | ~[]byte, C interface{ ~string; String() string }] []A
	Slice []Node
	Matrix [fixed.Size][]int
)

type Shape interface {
	fmt.Stringer
	Area() float64
	Scale(factor float64, _ ...int) (Shape, error)
	~int | ~*Node | []byte
	Comparable[int]
	*Node
	comparable
	Named() (n int); Other
}
type Empty interface{}

func external(a, b int) float64
func noop() {}
func single(int) {}
func unnamed(int, string, *Node, []byte, fmt.Stringer, List[int], ...any) {}
func (Node) bare() {}
func (n *Node) method(a, b int, c ...string) (x, y int, err error) { return }
func (l *List[T]) generic(f func(T) bool, m map[string]T) <-chan T { return nil }
func (List[T]) unnamedReceiver(a [4]int, b [Answer]T, c []T, d List[T]) {}
func Map[T, U any, S ~[]T](from S, f func(T) U) (to []U) {
	for _, one := range from {
		to = append(to, f(one))
	}
	return
}
func trailing(
	a int,
	b, c string,
) (
	int,
	error,
) {
	return 1, nil
}

func literals() {
	_ = []any{0, 7, 017, 0o17, 0O7, 0b101, 0B1, 0xFf, 0X_1, 1_000, 0_7, 0x8_9}
	_ = []any{1., .5, 1.5, 1e3, 1E+3, 0.5e-10, 09.5, 0x1p-2, 0x1.8P+1, 0x.8p0}
	_ = []any{1i, 0.5i, 09i, 0x1i, 1e3i}
	_ = []rune{'a', 'é', '世', '\n', '\'', '"', '\x41', '\101', '\u00e9', '\U0001F600'}
	_ = "" + "plain" + "\"esc\\aped\"\n" + "\x41bc\1012\u00e9é\U0001F600x\0"
	_ = `` + `raw \n "text"` + `two
	lines // no comment`
	_ = "// no comment" + "/* nor this */"
	_, _, _ = true, false, nil
	größe, 世界, аⁿ, vfs۰FS, הקלדה := 1, 2
	_ = größe + 世界
}

func expressions(x, y int, p *Node, f func(...int) int, a []int) {
	_ = x + y*2 - 3/x%4<<1>>2&^5&6 | 7 ^ 8
	_ = x == 1 && y != 2 || x < 3 && y <= 4 || x > 5 && y >= 6
	_ = -x + +y - ^x
	_ = !true
	_ = *p
	_ = **q
	_ = &Node{}
	_ = (x + y) * 2
	_ = p.next.next.Value
	_ = f() + f(1) + f(1, 2,) + f(a...) + f(a...,)
	_ = a[0] + a[x+1] + a[a[0]]
	_, _, _, _, _ = a[:], a[1:], a[:2], a[1:2], a[1:2:3]
	_ = a[:2:3]
	_ = any(p).(*Node)
	_ = any(p).(interface{ String() string }).String()
	_ = func(a, b int) int { return a + b }(1, 2)
	_ = func() {}
	_, _, _, _ = make([]int, 3), make(map[string]int), new(Node), make(chan int, 3,)
	_, _ = new(pkg.Type), make(List[int], 2)
	new := func() int { return 1 }
	_ = new + make
	_ = new[x] + make[x.y](z) + new[x](y) + new.b[c](d)
	_ = x.new(1)
	_ = <-in
	_ = iota
}

func composites() {
	_ = Node{Value: 1, next: &Node{}}
	_ = pkg.Node{1, 2}
	_ = []Node{{Value: 1}, {}}
	_ = map[string]Node{"a": {Value: 1}, "b": {}}
	_ = map[Node]int{{Value: 1}: 2}
	_ = [2]int{1, 2}
	_ = [...]int{4: 1}
	_ = struct{ a int }{1}
	_ = struct{}{}
	_ = List[int]{1}
	_ = pkg.List[int, []string]{1}
	_ = List[[]int]{}
	_ = Node{
		Value: 1, // one
		// none
	}
	_ = []func() int{f, g}
	_ = Node{}.next.Value
	_ = *&Node{}
}

func typesAndValues() {
	_ = []byte("x")
	_ = []byte("x",)
	_ = map[string]int(nil)
	_ = interface{}(nil)
	_ = (*Node)(nil)
	_ = (*[]int)(nil)
	_ = (**[]int)(nil)
	_ = *[]int(nil)
	_ = (func(int) bool)(nil)
	_ = (chan int)(nil)
	_ = (<-chan int)(nil)
	_ = <-chan int(nil)
	_ = (struct{})(x)
	_ = Node(x)
	_ = pkg.Node(x)
	_ = (Node)(x)
	_ = (*Node).method
	_ = a[b](c)
	_ = a[b](c, d)
	_ = a[b](c...)
	_ = a[b]()
	_ = a[b.c]()
	_ = a[b.c](d)
	_ = a[*b.c](d)
	_ = a[*b](d, e)
	_ = a[(b)](d)
	_ = a[b[c]](d)
	_ = a[b[c]](d, e)
	_ = a[b|c](d)
	_ = a[nil](b)
	_ = a.b[c](d)
	_ = a.b[c.d]().e
	_ = a.b.c[d](e)
	_ = a.b.c[d.e](f)
	_ = a()[b](c)
	_ = a()[b.c](d)
	_ = a[b][c](d)
	_ = a[b][c.d](e)
	_ = a[b.c][d.e]
	_ = a.b[c.d][e.f].g
	_ = a.b[c[d.e]]
	_ = a[b[c[d]]]
	_ = a[b[[]c]]
	_ = a[[]int]
	_ = a[[]int](b)
	_ = a[[]int](b, c)
	_ = a[[]int]()
	_ = a[int, string]
	_ = a.b[int, string]
	_ = a[int, string](c)
	_ = a[int, string](c, d)
	_ = a.b.c[int, string](d)
	_ = a[map[string]int, chan int,](c)
	_ = (a[b])(c)
	_ = (*a[b.c])(d)
	_ = (*a[b.c])(d, e)
	_ = *a[b](c)
	_ = *a[b](c).d
	_ = **a[b](c)
	_ = -a[b](c)
	_ = *-x
	_ = a * b[c](d)
	_ = f(func() { a[b](c) })
	_ = a[b](c)(d)
	_ = a[b](c)[d](e).f(g)
	_ = a[b](c, d)(e)
	_ = a[[]b](c)(d)
	_ = a[b.c](d)[e.f](g)
}

func statements(in, out chan int) {
	;
	x := 1
	x, y := 1, 2
	x = 2
	x, y = y, x
	x += 1; x -= 1; x *= 1; x /= 1; x %= 1; x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1; x &^= 1
	x++
	y--
	out <- 1
	<-in
	var z int
	const c = 1
	type local struct{ a int }
	go func() {}()
	defer close(out)
	{
		noop()
	}
	{ noop() }
	{}
	{;}

	goto end
outer:
	for {
		break
		continue
		break outer
		continue outer
	}
	for x < 3 {
	}
	for i := 0; i < 3; i++ {
	}
	for ; ; {
	}
	for ; x < 3; {
	}
	for noop(); ; noop() {
	}
	for x = 0; x < 3; x += 2 {
	}
	for range 3 {
	}
	for i := range in {
		_ = i
	}
	for k, v = range []int{1, 2} {
	}
	for range pkg.All {
	}
	if x > 1 {
		return
	} else if y := f(Node{}); y == (Node{}) {
		return
	} else if noop(); x == y {
	} else {
		return
	}
	if ok := func() bool { return Node{}.ok }(); ok {
	}
	if a[b](c) {
	}
	if x == a[b] {
	}
end:
}

func switches(x any, in, out chan int) {
	switch {
	}
	switch x {
	case 1, 2:
		fallthrough
	case 3:
		// nothing

	case Node{}.Value: noop()
	default:
		noop() // after

		// the end
	}
	switch y := f(); y {
	case 1:
	}
	switch f(); {
	default:
	}
	switch y := 1; {
	}
	switch x.(type) {
	case int, *Node, []byte, func(), pkg.Type, List[int], nil:
		noop()

	default:
	}
	switch y := x.(type) {
	case map[string]chan<- int:
		_ = y
	label:
	}
	switch f(); y := f().(type) {
	}
	select {}
	select {
	case <-in:
	case v := <-in:
		_ = v
	case v, ok := <-in:
		_, _ = v, ok
	case a[0], b.c = <-in:
	case out <- 1:
	case (<-in):
	default:
		again:
	}
last:
	;
}

var final = func() int { return 1 }()
