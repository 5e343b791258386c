import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../../../base/run-tool.ts'

/** Session as recorded by systemd-logind. */
export interface Login {
  userId: number
  username: string
  type: string
  /** Whether the session is a login screen. */
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

export type FindAccount = (userId: number) => Promise<Account>

/** Looks accounts up with `getent`: they may come from a company directory as well. */
async function findAccount(userId: number): Promise<Account> {
  const [username = '', , , , , home = ''] = (await runTool('getent', 'passwd', String(userId))).trim().split(':')
  return { username: username || String(userId), home }
}

/** Looks each account up once: the start of a program holds the agent up for 5 to 20 ms. */
export function accountFinder(find: FindAccount = findAccount): FindAccount {
  const found = new Map<number, Promise<Account>>()
  return (userId) => {
    const account = found.get(userId) ?? find(userId)
    found.set(userId, account)
    return account
  }
}
