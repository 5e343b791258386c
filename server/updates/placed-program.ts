/*
 * A desktop program that is replaced by renames: an AppImage, which is one file, or the folder of Windows and the bundle
 * of macOS. A new version runs from its folder below versions/ while it is on trial, so the installed program is not
 * touched before the new version is well.
 */
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { cp, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { system } from '../ground/system.ts'
import { runElevated } from './elevation.ts'
import { versionsIn, writeFlushed, type Home } from '../engines/process/program-home.ts'
import { UpdateProblem } from './update-problem.ts'
import type { ProgramKind } from './program-kind.ts'
import { unpack } from './unpack.ts'

/** Flag of a process that replaces a program as administrator; the arguments after it are those of `placeProgram`. */
export const placeFlag = '--place-program'

/** On Windows, a virus scanner may open files of a folder for seconds, and such a folder cannot be renamed. */
const renameTries = 40
const renamePauseMs = 250

/** Uninstaller that the installer of Windows leaves in the folder: packages do not contain it. */
const uninstaller = /^Uninstall .*\.exe$/i

export interface PlacedProgram {
  home: Home
  /** File or folder that is replaced. */
  entry: string
  /** Its name in the folder of a version, and in packages. */
  stored: string
  /** Path of the program in `entry`; empty for a file. */
  executable: string
  packageEnding: string
}

async function flushFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
      // Windows flushes only what is open for writing, which read-only files cannot be.
      await using file = await open(join(entry.parentPath, entry.name), 'r+').catch(() => undefined)
      await file?.sync()
    }
  }
}

/** Copies a file, by a hard link where possible, or a folder. Appears under its name once it is complete. */
async function copyProgram(from: string, to: string): Promise<void> {
  const partial = `${to}.partial`
  await rm(partial, { recursive: true, force: true })
  if (statSync(from).isDirectory()) {
    await cp(from, partial, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    await flushFiles(partial)
  } else {
    try {
      linkSync(from, partial)
    } catch {
      copyFileSync(from, partial)
    }
  }
  renameSync(partial, to)
}

async function renameFolder(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (tries === renameTries) {
        throw new UpdateProblem(
          `${from} cannot be renamed (${(error as Error).message}). Close the programs that use files in it, then try again.`,
        )
      }
      await wait(renamePauseMs)
    }
  }
}

/**
 * Puts a copy of a program in the place of another one: a file by one rename, a folder by two. A kill between those two
 * leaves the replaced folder as `….old`, and the next call finishes.
 */
export async function placeProgram(from: string, to: string): Promise<void> {
  const [fresh, old] = [`${to}.new`, `${to}.old`]
  await rm(fresh, { recursive: true, force: true })
  await copyProgram(from, fresh)
  if (!statSync(from).isDirectory()) {
    renameSync(fresh, to)
    return
  }
  if (existsSync(to)) {
    for (const name of readdirSync(to).filter((each) => uninstaller.test(each) && !existsSync(join(fresh, each)))) {
      copyFileSync(join(to, name), join(fresh, name))
    }
    await rm(old, { recursive: true, force: true })
    await renameFolder(to, old)
  }
  try {
    await renameFolder(fresh, to)
  } catch (error) {
    await renameFolder(old, to)
    throw error
  }
  await rm(old, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}

function mayWriteTo(folder: string): boolean {
  try {
    rmdirSync(mkdtempSync(join(folder, '.farhand-')))
    return true
  } catch {
    return false
  }
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Kind of a program that is replaced by renames. */
export function placedProgram({ home, entry, stored, executable, packageEnding }: PlacedProgram): ProgramKind {
  const isFile = executable === ''
  const programIn = (folder: string) => join(folder, stored, executable)
  /** Names the version that is in place; missing while a version is put there. */
  const note = join(home.folder, 'placed')
  return {
    packageEnding,
    program: join(entry, executable),
    // Hard links of a file; a package, its folder, the kept one and the one that is put in place.
    roomFactor: isFile ? 4 : 10,
    problem() {
      try {
        if (!system.replacesAsAdministrator) {
          accessSync(dirname(entry), constants.W_OK)
        }
        return null
      } catch {
        return `You may not write to ${dirname(entry)}, so ${entry} cannot be replaced. Move it to a folder of yours and start it there.`
      }
    },
    async store(file, folder, signal) {
      if (isFile) {
        await rename(file, programIn(folder))
        chmodSync(programIn(folder), 0o755)
        return
      }
      await unpack(file, `${stored}/`, join(folder, stored), { signal, hasLinks: true })
      if (!existsSync(programIn(folder))) {
        throw new UpdateProblem(`The package does not contain ${join(stored, executable)}. Report this to the maker.`)
      }
    },
    async keep(folder) {
      if (!existsSync(join(folder, stored))) {
        await copyProgram(entry, join(folder, stored))
      }
      writeFlushed(note, basename(folder))
    },
    keeper: (folder) => [programIn(folder)],
    ready: (folder) => Promise.resolve(programIn(folder)),
    async install(folder) {
      if (textOf(note) === basename(folder)) {
        return
      }
      rmSync(note, { force: true })
      const from = join(folder, stored)
      if (isFile || mayWriteTo(dirname(entry))) {
        await placeProgram(from, entry)
      } else {
        await runElevated([programIn(folder), placeFlag, from, entry], `Replacing ${entry} as administrator`)
      }
      writeFlushed(note, basename(folder))
    },
  }
}

/** Name of the version whose folder a program is in; undefined for a program elsewhere. */
export function versionOfPath(home: Home, program: string): string | undefined {
  const below = `${versionsIn(home)}/`
  const path = program.replaceAll('\\', '/')
  return path.startsWith(below.replaceAll('\\', '/')) ? path.slice(below.length).split('/')[0] : undefined
}
