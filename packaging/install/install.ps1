# Installs atelier for the user who runs it, into %LOCALAPPDATA%\Programs\atelier:
#
#   .\install.ps1 -From https://example.org/downloads -Version 0.9.0
#
# It downloads the archive for this system and its checksum, compares, and puts the
# program into its place. It changes neither PATH nor anything that needs rights.
param(
	[string]$Version = '@VERSION@',
	[string]$From = $(if ($env:ATELIER_DOWNLOADS) { $env:ATELIER_DOWNLOADS } else { '@DOWNLOADS@' }),
	[string]$Dir = (Join-Path $env:LOCALAPPDATA 'Programs\atelier')
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
if (-not $From -or $From.StartsWith('@')) { throw 'name the folder of the release''s files with -From or ATELIER_DOWNLOADS' }
if ($Version.StartsWith('@')) { throw 'name the version with -Version' }
if (-not $From.StartsWith('https://')) { throw '-From must begin with https://' }
$arch = if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' } else { 'amd64' }
$name = "atelier_${Version}_windows_${arch}"
$tmp = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory $tmp | Out-Null
try {
	$base = $From.TrimEnd('/')
	Invoke-WebRequest -UseBasicParsing "$base/atelier_${Version}_SHA256SUMS" -OutFile "$tmp\sums"
	Invoke-WebRequest -UseBasicParsing "$base/$name.zip" -OutFile "$tmp\archive.zip"
	$want = Get-Content "$tmp\sums" | Where-Object { ($_ -split '\s+')[1] -eq "$name.zip" } | ForEach-Object { ($_ -split '\s+')[0] }
	if (-not $want) { throw "the checksums do not name $name.zip" }
	if ((Get-FileHash "$tmp\archive.zip" -Algorithm SHA256).Hash -ne $want) { throw "the checksum of $name.zip is wrong: the download is damaged, or is not what was released. Nothing was installed" }
	Expand-Archive "$tmp\archive.zip" $tmp
	New-Item -ItemType Directory -Force $Dir | Out-Null
	Move-Item -Force "$tmp\$name\atelier.exe" (Join-Path $Dir 'atelier.exe')
	Write-Output "$(& (Join-Path $Dir 'atelier.exe') version | Select-Object -First 1) is in $Dir"
	if (($env:PATH -split ';') -notcontains $Dir) { Write-Output 'Add that folder to PATH to start it by its name.' }
} finally {
	Remove-Item -Recurse -Force $tmp
}
