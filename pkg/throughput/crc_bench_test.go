package throughput_test

import (
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// BenchmarkThroughputCRC compares one thread with checksums and without, and then looks for what they cost: a loop of reads
// in which another thread does nothing, checks other memory for as long, or checks what was read.
func BenchmarkThroughputCRC(b *testing.B) {
	realtime(b)
	source := sourceOf(b, b.TempDir())
	s := figures.New(b, "Throughput: what checksums cost", "make bench-throughput")
	s.Say(`One thread with checksums and without, by turns, median over %d pairs. A second goroutine checks a block while the next one is
		moved, so that a checksum takes processor time, which columnstore_throughput_crc_ratio counts apart, and no wait. Aimed at: 0.97
		of the rate without at least, and checksums of 8 GB/s a core.`, benchPairs)
	for b.Loop() {
		var rows [][]string
		for _, kind := range throughput.Tests() {
			with := spec(b.TempDir(), source, kind, 1)
			without := with
			without.CRC = false
			on, off := pairs(
				func(s *side) { measureOurs(b, s, with) },
				func(s *side) { measureOurs(b, s, without) })
			ratio := divide(on.rates, off.rates)
			rows = append(rows, []string{
				string(kind), megabytes(on), megabytes(off), figures.Spread(ratio), figures.Verdict(figures.Quantile(ratio, 0.5) >= 0.97),
				fmt.Sprintf("%.1f", figures.Quantile(on.crc, 0.5)), figures.Verdict(figures.Quantile(on.crc, 0.5) >= 8),
			})
		}
		s.Table(strings.Split("test|on MB/s|off MB/s|on ÷ off|≥ 0.97|checksums GB/s|≥ 8", "|"), rows)
		s.Say(`Below, a loop of nothing but reads into two blocks hands each block to a second thread. Where the reads take longer when that
			thread checks what was read, and not when it checks other memory, what is missing above is no time of the checksum's: a processor
			moves the data, as that of a virtual disk does, and has to take the block's cache lines back from the one that looked at them.
			Whoever uses what it reads pays that, the engine too; a disk that moves data itself does not ask for it.`)
		s.Table(strings.Split("the second thread|MB/s|of the first row|µs in a read", "|"), ownership(b))
	}
	s.Publish()
}

// ownership compares what a second thread may do with a block that was read.
func ownership(b *testing.B) (rows [][]string) {
	b.Helper()
	fd := readable(b)
	table := crc32.MakeTable(crc32.Castagnoli)
	blocks, other := hugeBlocks(b), hugeBlocks(b)
	deeds := []struct {
		name string
		do   func(block int)
	}{
		{"does nothing", func(int) {}},
		{"checks other memory", func(block int) { crc32.Checksum(other[block], table) }},
		{"checks the block", func(block int) { crc32.Checksum(blocks[block], table) }},
	}
	rates, times := make([][]float64, len(deeds)), make([][]float64, len(deeds))
	for round := range 2*benchPairs + 1 {
		for i := range deeds {
			at := (round + i) % len(deeds)
			rate, inRead := handOver(b, fd, blocks, deeds[at].do)
			rates[at], times[at] = append(rates[at], rate), append(times[at], inRead)
		}
	}
	for i, deed := range deeds {
		rows = append(rows, []string{
			deed.name, fmt.Sprintf("%.0f", figures.Quantile(rates[i], 0.5)/1e6), figures.Spread(divide(rates[i], rates[0])),
			fmt.Sprintf("%.0f", figures.Quantile(times[i], 0.5)*1e6),
		})
	}
	return rows
}

// readable returns a file of random data, open for direct reads.
func readable(b *testing.B) (fd int) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "file")
	random := make([]byte, 64<<20)
	fill(random)
	write(b, path, random)
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

// hugeBlocks returns two blocks of 1 MiB that are one piece of memory.
func hugeBlocks(b *testing.B) [2][]byte {
	b.Helper()
	const huge = 2 << 20
	mapped, err := unix.Mmap(-1, 0, 2*huge, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = unix.Munmap(mapped) })
	_ = unix.Madvise(mapped, unix.MADV_HUGEPAGE) // where it is refused, both sides go without
	skip := int(-uintptr(unsafe.Pointer(&mapped[0])) % huge)
	fill(mapped[skip : skip+huge])
	return [2][]byte{mapped[skip : skip+huge/2], mapped[skip+huge/2 : skip+huge]}
}

// handOver reads for a while, two blocks by turns, and returns the rate and the mean time of a read in seconds.
func handOver(b *testing.B, fd int, blocks [2][]byte, deed func(block int)) (rate, inRead float64) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	todo, ready, done := make(chan int, 2), make(chan int, 2), make(chan struct{})
	go func() {
		defer close(done)
		for block := range todo {
			deed(block)
			ready <- block
		}
	}()
	ready <- 0
	ready <- 1
	var reading time.Duration
	begun, n := time.Now(), int64(0)
	for ; time.Since(begun) < benchTime/4; n++ {
		block := <-ready
		from := time.Now()
		if got, err := unix.Pread(fd, blocks[block], n%64<<20); got != 1<<20 {
			b.Fatalf("read of %d bytes: %v", got, err)
		}
		reading += time.Since(from)
		todo <- block
	}
	elapsed := time.Since(begun).Seconds()
	close(todo)
	<-done
	return float64(n<<20) / elapsed, reading.Seconds() / float64(n)
}

func fill(b []byte) {
	// It is documented never to return an error.
	_, _ = rand.Read(b)
}

func write(b *testing.B, path string, data []byte) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(data); err != nil {
		b.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		b.Fatal(err)
	}
}
