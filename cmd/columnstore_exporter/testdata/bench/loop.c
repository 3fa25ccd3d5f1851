/* loop FILE COUNT NANOSECONDS: reads 4 KiB of FILE with O_DIRECT COUNT times, one each so many nanoseconds, at random
   places. It prints the nanoseconds that each read took, but for the first, and does nothing else. Of the times that pass
   while it is held up all but the newest are left out, as the exporter does: reads at once, one after the other, are faster. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(int argc, char **argv) {
	if (argc != 4) return 2;
	long count = atol(argv[2]), interval = atol(argv[3]), *took = malloc(count * sizeof *took);
	int fd = open(argv[1], O_RDONLY | O_DIRECT);
	long blocks = lseek(fd, 0, SEEK_END) / 4096;
	void *buffer = aligned_alloc(4096, 4096);
	srandom(getpid());
	long done = 0, start = now();
	for (long i = 0; i < count; i++) {
		long passed = (now() - start) / interval;
		if (passed > i) i = passed < count ? passed : count - 1;
		long due = start + i * interval;
		struct timespec t = {due / 1000000000L, due % 1000000000L};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);
		long offset = random() % blocks * 4096, begin = now();
		if (pread(fd, buffer, 4096, offset) != 4096) return 1;
		took[done++] = now() - begin;
	}
	for (long i = 1; i < done; i++) printf("%ld\n", took[i]);
	return 0;
}
