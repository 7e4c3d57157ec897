// --backup and --restore, for people.
#ifndef TOMBOLA_COLLECTOR_BACKUP_SAY_H_
#define TOMBOLA_COLLECTOR_BACKUP_SAY_H_

#include <string>

namespace tombola::collector {

// Do as backup.h says, print what was done or why not, and return the exit code: 2 for what the
// caller has to mend, 1 for everything else.
int SayBackup(const std::string& data_directory, const std::string& backup);
int SayRestore(const std::string& backup, const std::string& data_directory);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_BACKUP_SAY_H_
