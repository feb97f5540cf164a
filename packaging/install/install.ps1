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
if ($Version -notmatch '^[0-9A-Za-z.+-]+$') { throw "-Version $Version is not a version such as 0.9.0" }
# A 32-bit PowerShell names the system's own processor in the second variable.
$arch = if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64' -or $env:PROCESSOR_ARCHITEW6432 -eq 'ARM64') { 'arm64' } else { 'amd64' }
$target = Join-Path $Dir 'atelier.exe'
if (Test-Path -LiteralPath $target -PathType Container) { throw "$target is a folder: choose another folder with -Dir" }

function Get-File([string]$Address, [string]$File) {
	$answer = Invoke-WebRequest -UseBasicParsing -TimeoutSec 1800 -PassThru -OutFile $File $Address
	# PowerShell 5 follows redirects to addresses that anybody on the way can answer for.
	$at = if ($answer.BaseResponse.ResponseUri) { $answer.BaseResponse.ResponseUri } else { $answer.BaseResponse.RequestMessage.RequestUri }
	if ($at.Scheme -ne 'https') { throw "$Address redirects to an address that does not begin with https://" }
}

$name = "atelier_${Version}_windows_${arch}"
$tmp = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory $tmp | Out-Null
try {
	$base = $From.TrimEnd('/')
	Get-File "$base/atelier_${Version}_SHA256SUMS" "$tmp\sums"
	Get-File "$base/$name.zip" "$tmp\archive.zip"
	$want = Get-Content "$tmp\sums" | Where-Object { ($_ -split '\s+')[1] -eq "$name.zip" } | ForEach-Object { ($_ -split '\s+')[0] }
	if (-not $want) { throw "the checksums do not name $name.zip" }
	if ((Get-FileHash "$tmp\archive.zip" -Algorithm SHA256).Hash -ne $want) { throw "the checksum of $name.zip is wrong: the download is damaged, or is not what was released. Nothing was installed" }
	Expand-Archive "$tmp\archive.zip" $tmp
	New-Item -ItemType Directory -Force $Dir | Out-Null
	# First beside its place, and started there: the old program stays until the new one
	# is whole. One that is at work can be renamed, and not replaced.
	$new = Join-Path $Dir "atelier.$PID.new.exe"
	$old = Join-Path $Dir "atelier.$PID.old.exe"
	try {
		Copy-Item -LiteralPath "$tmp\$name\atelier.exe" $new
		$said = & $new version
		if ($LASTEXITCODE -ne 0) { throw 'the program does not run on this system. Nothing was installed' }
		if (Test-Path -LiteralPath $target) { Rename-Item -LiteralPath $target (Split-Path -Leaf $old) }
		try { Rename-Item -LiteralPath $new (Split-Path -Leaf $target) } catch {
			if (Test-Path -LiteralPath $old) { Rename-Item -LiteralPath $old (Split-Path -Leaf $target) }
			throw
		}
	} finally {
		Remove-Item -LiteralPath $new -Force -ErrorAction SilentlyContinue
	}
	# Those that are at work stay until the next time.
	Get-ChildItem -LiteralPath $Dir -Filter 'atelier.*.old.exe' | Remove-Item -Force -ErrorAction SilentlyContinue
	Write-Output "$($said | Select-Object -First 1) is in $Dir"
	if (($env:PATH -split ';') -notcontains $Dir) { Write-Output 'Add that folder to PATH to start it by its name.' }
} finally {
	Remove-Item -Recurse -Force $tmp
}
