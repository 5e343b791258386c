import { execFile } from 'node:child_process'
import { environment } from '../../base/environment.ts'
import type { ProcessRules } from '../platform.ts'
import { startOutliving } from './outliving-process.ts'

export const windowsProcesses: ProcessRules = {
  hasGroups: false,
  startOutliving,
  signalGroup(pid, signal) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has already exited.
    }
  },
  killTree(pid) {
    const taskkill = `${environment.windows}\\System32\\taskkill.exe`
    execFile(taskkill, ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => {})
  },
}
