import { linux } from './linux.ts'
import { mac } from './mac.ts'
import type { Platform } from './platform.ts'
import { windows } from './windows.ts'

/** Implementation for the current system. */
export const platform: Platform = process.platform === 'win32' ? windows : process.platform === 'darwin' ? mac : linux
