package pdf

import (
	"io"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// engineMemory is what the engine may ask for: all that it can address. When
// memory ends inside it, it leaves out what it had no room for and says
// nothing; when the job object refuses memory, the worker ends and an error is
// reported.
const engineMemory = 2 << 30

// watchEvery is how often the memory of a worker is looked at; here its job
// object limits it, see confine.
const watchEvery = time.Second

// prepare keeps a window from opening.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP}
}

type jobObject windows.Handle

// Close ends what is in the job.
func (j jobObject) Close() error { return windows.CloseHandle(windows.Handle(j)) }

// confine puts a worker into a job object that limits its memory and ends it
// when this program ends, however that ends.
func confine(pid int) (io.Closer, error) {
	h, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	limits.ProcessMemoryLimit = workerMemory
	_, err = windows.SetInformationJobObject(h, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(h, pid)
	}
	if err != nil {
		windows.CloseHandle(h)
		return nil, err
	}
	return jobObject(h), nil
}

func assign(job windows.Handle, pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(p)
	return windows.AssignProcessToJobObject(job, p)
}

func resident(int) int64 { return 0 }

func limitSelf(uint64) {}
