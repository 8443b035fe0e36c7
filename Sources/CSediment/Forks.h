#ifndef CSEDIMENT_FORKS_H
#define CSEDIMENT_FORKS_H

// What each part does around a fork.

// In the child: takes back the slots of all threads but this one.
void sediment_readers_after_fork(void);

// Takes the locks held across forks, and gives them back.
void sediment_mutexes_before_fork(void);
void sediment_mutexes_after_fork_in_parent(void);
void sediment_mutexes_after_fork_in_child(void);

#endif
