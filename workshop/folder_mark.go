package workshop

import (
	"errors"
	"fmt"
	"os"

	"atelier/internal/quote"
)

// ErrOtherFolder is in the fault of a workbench whose folder is not, or perhaps
// not, the one it was made for.
var ErrOtherFolder = errors.New("another folder")

// folderMark tells a folder from every other one, also from one that the file
// system gave the inode of a removed folder. Copies of a folder, and folders
// unpacked anew, have marks of their own.
type folderMark struct {
	Volume uint64 `json:"volume,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	Birth  int64  `json:"birth,omitempty"` // when it was made, in ns since 1970; 0 where the file system does not say
}

// markOf returns the mark of the folder at dir; the zero mark where the system tells
// nothing.
func markOf(dir string) (folderMark, error) {
	st, err := os.Stat(dir)
	if err != nil {
		return folderMark{}, err
	}
	return folderIdentity(dir, st), nil
}

// sameness says whether two marks are of one folder.
type sameness int

const (
	otherFolder sameness = iota
	sameFolder
	perhapsSame // nothing speaks against it, and nothing proves it
)

// compare compares what a workbench remembers of its folder with a folder there
// is. Volume numbers may change when a machine starts anew, so that a folder with
// the same inode and time of birth is the same one whatever its volume.
func (was folderMark) compare(now folderMark) sameness {
	switch {
	case was == (folderMark{}) || now == (folderMark{}):
		return perhapsSame
	case was.Inode != now.Inode:
		return otherFolder
	case onWindows && was.Inode != 0: // a number that is not used again on its volume
		if was.Volume == now.Volume {
			return sameFolder
		}
		return otherFolder
	case was.Birth != 0 && now.Birth != 0:
		if was.Birth == now.Birth {
			return sameFolder
		}
		return otherFolder
	}
	return perhapsSame
}

// notTheFolder refuses a folder that stands where that of a workbench stood.
func notTheFolder(i Info) error {
	f := Faultf(Conflict, "the folder %s is not the one that its workbench was made for: that one was moved or replaced; its draft and conversation are kept", i.Root)
	f.Err = ErrOtherFolder
	f.Hint = fmt.Sprintf("if it belongs to this folder all the same: atelier attach --in %[1]s (WorkbenchAttach with workbench_id %[2]s); to begin anew here: atelier attach --new --in %[1]s", quote.Argument(i.Root), i.ID)
	return f
}

// perhapsMoved refuses to take a folder for one that may have been moved.
func perhapsMoved(i Info, dir string) error {
	f := Faultf(Conflict, "%s may be the folder %s, moved: this file system does not tell; that one has a workbench with a draft and a conversation of its own", dir, i.Root)
	f.Err = ErrOtherFolder
	f.Hint = fmt.Sprintf("if it is the same folder: atelier attach --from %[1]s --in %[2]s (WorkbenchAttach with workbench_id %[3]s); if not: atelier attach --new --in %[2]s", quote.Argument(i.Root), quote.Argument(dir), i.ID)
	return f
}
