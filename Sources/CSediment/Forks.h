#ifndef CSEDIMENT_FORKS_H
#define CSEDIMENT_FORKS_H

// What each part does around a fork.

// In the child: takes back the slots of all threads but this one. Pins stay.
void sediment_readers_after_fork(void);

// Keeps files from being opened, and lets go of them in the child, whose readers are told of before.
void sediment_forked_files_before_fork(void);
void sediment_forked_files_after_fork_in_parent(void);
void sediment_forked_files_after_fork_in_child(void);

// A pin has ended, which a child may have waited for.
void sediment_forked_files_unpinned(void);

// Takes the locks held across forks, and gives them back.
void sediment_mutexes_before_fork(void);
void sediment_mutexes_after_fork_in_parent(void);
void sediment_mutexes_after_fork_in_child(void);

#endif
