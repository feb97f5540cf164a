package folderwatch

import "golang.org/x/sys/unix"

// remote are file systems whose changes by other machines give no events, by the
// magic numbers of statfs(2).
var remote = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x01021997: "9p", 0x65735546: "FUSE",
	0x5346414f: "AFS", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS", 0x01161970: "GFS2", 0x7461636f: "OCFS2",
}

// networkOf returns the name of the network file system that a folder is on, "" on
// any other.
func networkOf(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	return remote[uint32(st.Type)]
}
