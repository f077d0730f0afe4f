/* SPDX-License-Identifier: MIT */
/* limited FILE: works until FILE is there, then allocates 500 blocks and ends with 5. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	if (argc < 2)
		return 2;
	while (access(argv[1], F_OK) != 0) {
		free(malloc(1000));
		usleep(2000);
	}
	for (int i = 0; i < 500; i++) {
		void *volatile block = malloc(777);
		free(block);
	}
	return 5;
}
