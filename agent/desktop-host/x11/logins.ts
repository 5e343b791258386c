import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../../base/run-tool.ts'

/** A session as systemd-logind records it. */
export interface Login {
  userId: number
  username: string
  type: string
  /** What shows who may sign in is a session as well. */
  isGreeter: boolean
  display: string
  desktop: string
}

export async function listLogins(folder: string): Promise<Login[]> {
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
  return texts
    .filter((text) => /^CLASS=(user|greeter)$/m.test(text) && !/^STATE=closing$/m.test(text))
    .map((text) => {
      const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
      return {
        userId: Number(value('UID')),
        username: value('USER'),
        type: value('TYPE'),
        isGreeter: value('CLASS') === 'greeter',
        display: value('DISPLAY'),
        desktop: value('DESKTOP'),
      }
    })
}

export interface Account {
  username: string
  home: string
}

/** Accounts may come from a directory of the company as well: the system is asked, not a file. */
export async function findAccount(userId: number): Promise<Account> {
  const [username = '', , , , , home = ''] = (await runTool('getent', 'passwd', String(userId))).trim().split(':')
  return { username: username || String(userId), home }
}
