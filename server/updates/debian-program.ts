/*
 * The desktop program of a Debian package. Its files belong to root, so the package manager replaces it, after the system has
 * asked for an administrator: before the trial, and again on the way back. The package of the installed version is made
 * again from its files, because nobody keeps the file that it was installed from.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readdir, readlink, rename, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { runElevated, runToEnd } from './elevation.ts'
import { UpdateProblem } from './update-problem.ts'
import type { ProgramKind } from './program-kind.ts'

export interface DebianProgram {
  name: string
  /** Installed program, which people start. */
  program: string
  /** Folder of dpkg's database. */
  administration: string
  /** Folders with programs of the system. */
  searchPath: readonly string[]
}

export const isDebianPackage = (name: string, administration: string): boolean =>
  existsSync(join(administration, 'info', `${name}.list`))

/** Fields of the control file that only the database of installed packages has. */
const ofDatabase = /^(Status|Conffiles|Config-Version):.*\n( .*\n)*/gm

/** Copies the installed files and the scripts of a package, as `dpkg-deb --build` expects them. */
async function copyInstalled({ name, administration }: DebianProgram, tree: string): Promise<void> {
  const listed = await runToEnd(['dpkg-query', '--listfiles', name], 'Listing the installed files')
  for (const path of listed.split('\n').filter((each) => each.startsWith('/') && each !== '/.')) {
    const [found, target] = [await lstat(path), join(tree, path)]
    if (found.isDirectory()) {
      await mkdir(target, { recursive: true })
    } else if (found.isSymbolicLink()) {
      await symlink(await readlink(path), target)
    } else {
      await copyFile(path, target)
    }
  }
  const control = join(tree, 'DEBIAN')
  mkdirSync(control, { mode: 0o755 })
  const status = await runToEnd(['dpkg-query', '--status', name], 'Reading the installed package')
  writeFileSync(join(control, 'control'), `${status.trimEnd()}\n`.replaceAll(ofDatabase, ''))
  const scripts = /^(preinst|postinst|prerm|postrm)$/
  for (const file of await readdir(join(administration, 'info'))) {
    const kind = file.startsWith(`${name}.`) ? file.slice(name.length + 1) : ''
    if (scripts.test(kind)) {
      await copyFile(join(administration, 'info', file), join(control, kind))
      await chmod(join(control, kind), 0o755)
    }
  }
}

/** Kind of a program that the Debian package manager installs. */
export function debianProgram(options: DebianProgram): ProgramKind {
  const { name, program, searchPath } = options
  const packageIn = (folder: string) => join(folder, `${name}.deb`)
  const treeIn = (folder: string) => join(folder, 'tree')
  /** Status and version of the installed package, such as `installed 0.2.0`. */
  const installed = () =>
    runToEnd(['dpkg-query', '--show', '--showformat=${db:Status-Status} ${Version}', name], 'Asking for the version')
  const install = async (folder: string) => {
    const [version = ''] = basename(folder).split('-')
    if (`${(await installed()).trim()}.0` === `installed ${version}`) {
      return
    }
    const file = packageIn(folder)
    if (!existsSync(file)) {
      const build = [
        'dpkg-deb',
        '--root-owner-group',
        '-Zgzip',
        '-z1',
        '--build',
        treeIn(folder),
        `${file}.new`,
      ] as const
      await runToEnd(build, 'Packing the earlier version')
      renameSync(`${file}.new`, file)
    }
    await runElevated(
      ['apt-get', 'install', '--yes', '--allow-downgrades', file],
      `Installing ${basename(file)} ${version}`,
    )
  }
  return {
    packageEnding: '.deb',
    program,
    // The package, the kept files, and the package that is made of them.
    roomFactor: 8,
    problem() {
      const isThere = searchPath.some((folder) => existsSync(join(folder, 'pkexec')))
      return isThere
        ? null
        : 'Updates need pkexec, to ask for an administrator. Install it (sudo apt install pkexec), or install the new package with apt.'
    },
    store: (file, folder) => rename(file, packageIn(folder)),
    async keep(folder) {
      const [tree, partial] = [treeIn(folder), `${treeIn(folder)}.partial`]
      if (existsSync(tree)) {
        return
      }
      rmSync(partial, { recursive: true, force: true })
      mkdirSync(partial, { recursive: true, mode: 0o755 })
      await copyInstalled(options, partial)
      if (!existsSync(join(partial, program))) {
        throw new UpdateProblem(
          `The package ${name} does not contain ${program}, so its version cannot be kept for the way back.`,
        )
      }
      renameSync(partial, tree)
    },
    // Outside of its folder, systems with AppArmor allow Chromium no sandbox, and a keeper shows no pages.
    keeper: (folder) => [join(treeIn(folder), program), '--no-sandbox', '--ozone-platform=headless'],
    async ready(folder) {
      await install(folder)
      return program
    },
    install,
  }
}
