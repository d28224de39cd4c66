/* A ring buffer for one reader and one writer. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define RING_SIZE 1024

struct ring {
    unsigned char bytes[RING_SIZE];
    atomic_size_t head;
    atomic_size_t tail;
};

/* Puts a byte in; false when the buffer is full. */
bool ring_push(struct ring *ring, unsigned char byte)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    size_t next = (head + 1) % RING_SIZE;
    if (next == atomic_load_explicit(&ring->tail, memory_order_acquire))
        return false;
    ring->bytes[head] = byte;
    atomic_store_explicit(&ring->head, next, memory_order_release);
    return true;
}

/* Takes a byte out; false when there is none. */
bool ring_pop(struct ring *ring, unsigned char *byte)
{
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&ring->head, memory_order_acquire))
        return false;
    *byte = ring->bytes[tail];
    atomic_store_explicit(&ring->tail, (tail + 1) % RING_SIZE, memory_order_release);
    return true;
}
