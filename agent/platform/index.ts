import { linux } from './linux/linux.ts'
import { macos } from './macos/macos.ts'
import type { Platform } from './platform.ts'
import { windows } from './windows/windows.ts'

const platforms: Partial<Record<NodeJS.Platform, Platform>> = { darwin: macos, win32: windows }

/** Implementation for the current system. */
export const platform: Platform = platforms[process.platform] ?? linux
