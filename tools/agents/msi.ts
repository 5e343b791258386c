/**
 * Windows Installer package of the agent, made with wixl and msibuild of Debian. The package only puts a version beside
 * the others, as the installer script does; the version's own `install` and `uninstall` do the rest.
 */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { keepDataProperty, packageProperties, packageUpgradeCode } from '../../shared/agent-package.ts'
import { inPath } from '../chromium.mjs'

const execute = promisify(execFile)

/** Sentence that says what is missing; undefined where packages can be made. */
export const msiProblem = (): string | undefined =>
  inPath('wixl') && inPath('msibuild')
    ? undefined
    : 'No MSI package was made: it needs wixl and msibuild, on Linux (Debian: apt-get install wixl msitools).'

const { server, pin, tenant, keyId, keySecret } = packageProperties

/** Private properties, set by the package itself. */
const [installOptions, uninstallOptions, earlierPackage, newerPackage, agentService, presentPackage] = [
  'InstallOptions',
  'UninstallOptions',
  'EARLIERPACKAGE',
  'NEWERPACKAGE',
  'AGENTSERVICE',
  'PRESENTPACKAGE',
]

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Values of `msidbCustomActionType…` in the Windows SDK. */
const type = {
  programInPackage: 0x12,
  programInFolder: 0x22,
  setProperty: 0x33,
  ignoreStatus: 0x40,
  rollback: 0x100,
  deferred: 0x400,
  asSystem: 0x800,
  hideTarget: 0x2000,
} as const

/** Numbers that wixl gives to standard actions, which are those of the Windows SDK. */
const standard = { appSearch: 50, removeFiles: 3500, installFiles: 4000 } as const

interface Action {
  name: string
  type: number
  source: string
  target: string
  /** Place among the standard actions, which have fixed numbers. */
  sequence: number
  condition?: string
}

const asSystem = type.deferred | type.asSystem

/** Sets options of the installation, on a device without an agent. */
const setInstallOptions = (name: string, sequence: number, target: string, condition?: string): Action => ({
  name,
  type: type.setProperty | type.hideTarget,
  source: installOptions,
  target,
  sequence,
  condition: `NOT ${agentService}${condition === undefined ? '' : ` AND ${condition}`}`,
})

const commandFile = '[AGENT]Farhand.Agent.cmd'

/**
 * Steps of the package besides its files. Windows passes properties to a program on its command line alone; other users
 * of a device cannot read the one of a program of SYSTEM, and hidden targets and properties are not logged.
 */
const actions: readonly Action[] = [
  setInstallOptions('SetServer', standard.appSearch + 1, `-s "[${server}]" -t "[${tenant}]"`),
  setInstallOptions('SetPin', standard.appSearch + 2, `[${installOptions}] -sp "[${pin}]"`, pin),
  setInstallOptions(
    'SetKey',
    standard.appSearch + 3,
    `[${installOptions}] -ki "[${keyId}]" -ks "[${keySecret}]"`,
    keyId,
  ),
  {
    name: 'SetKeepData',
    type: type.setProperty,
    source: uninstallOptions,
    target: '--keep-data',
    sequence: standard.appSearch + 4,
    condition: keepDataProperty,
  },
  {
    name: 'Uninstall',
    type: type.programInFolder | asSystem,
    source: 'AGENT',
    // An agent that was uninstalled by its own command has left the package alone.
    target: `"[System64Folder]cmd.exe" /c if exist "${commandFile}" "${commandFile}" uninstall [${uninstallOptions}]`,
    sequence: standard.removeFiles - 1,
    // A package that was replaced is removed after its successor has registered itself.
    condition: `REMOVE="ALL" AND ${presentPackage} = ProductCode`,
  },
  {
    name: 'UndoInstall',
    type: type.programInPackage | asSystem | type.rollback | type.ignoreStatus,
    source: 'node.exe',
    // Settings and key stay, unless the server rejected the device, after which there are none: the server may know the
    // device, and an earlier removal may have left them.
    target: '"[#main.js]" uninstall --keep-data',
    sequence: standard.installFiles + 1,
    // An agent that was there before goes back to its version by itself.
    condition: `NOT Installed AND NOT ${agentService}`,
  },
  {
    name: 'Install',
    type: type.programInPackage | asSystem | type.hideTarget,
    source: 'node.exe',
    // Without options, an agent that is there is updated and goes back to its version if that fails: the files of a
    // package that failed are gone.
    target: `"[#main.js]" install [${installOptions}]`,
    sequence: standard.installFiles + 2,
    condition: 'NOT Installed',
  },
]

/** Table of the steps as msibuild imports it; wixl knows neither hidden targets nor steps of a rollback. */
const actionTable = () =>
  [
    ['Action', 'Type', 'Source', 'Target', 'ExtendedType'],
    ['s72', 'i2', 'S72', 'S255', 'I4'],
    ['CustomAction', 'Action'],
    ...actions.map(({ name, type: number, source, target }) => [name, String(number), source, target, '']),
  ]
    .map((cells) => `${cells.join('\t')}\r\n`)
    .join('')

interface Tree {
  files: readonly string[]
  folders: readonly [string, Tree][]
}

function readTree(folder: string): Tree {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    files: entries.filter((entry) => entry.isFile()).map(({ name }) => name),
    folders: entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }): [string, Tree] => [name, readTree(path.join(folder, name))]),
  }
}

/** Identifier for the tables, of the name of a file in the version; the two that steps name keep theirs. */
const idOf = (kind: string, name: string) =>
  ['node.exe', 'main.js'].includes(name) && kind === 'File'
    ? name
    : `${kind}${createHash('sha1').update(name).digest('hex')}`

/** Components of a tree, each with one file; `ids` gets their identifiers. */
function directories({ files, folders }: Tree, at: string, ids: string[]): string {
  const components = files.map((file) => {
    const name = path.posix.join(at, file)
    const id = idOf('Component', name)
    ids.push(id)
    return (
      `<Component Id="${id}" Guid="${randomUUID().toUpperCase()}" Win64="yes">` +
      `<File Id="${idOf('File', name)}" Source="${escape(name)}" KeyPath="yes" /></Component>`
    )
  })
  const below = folders.map(([folder, tree]) => {
    const name = path.posix.join(at, folder)
    return `<Directory Id="${idOf('Folder', name)}" Name="${escape(folder)}">${directories(tree, name, ids)}</Directory>`
  })
  return [...components, ...below].join('\n')
}

/** Registry value for the product code of the newest package; a component that all packages share. */
const registration = `Root="HKLM" Key="SOFTWARE\\Farhand\\Agent" Name="Package"`
const registrationId = '5B1B2D0C-8C0B-4B7E-9C35-0D6D7F3C9E21'

const needs =
  `Give the package ${server}, ${tenant}, ${keyId} and ${keySecret}, as the command on the Deploy page of the server does: ` +
  `msiexec /i Farhand.Agent.msi ${server}=https://... ${tenant}=... ${keyId}=... ${keySecret}=...`

/** Source of the package for wixl. `content` is a staged bundle, `version` has three numbers. */
function sourceOf(content: string, version: string): string {
  const productCode = randomUUID().toUpperCase()
  const ids: string[] = []
  // A name of its own: files of a version that runs cannot be replaced.
  const folder = `msi-${productCode.slice(0, 8).toLowerCase()}`
  const files = directories(readTree(content), '', ids)
  const steps = actions.map(
    ({ name, sequence, condition }) =>
      `<Custom Action="${name}" Sequence="${sequence}">${escape(condition ?? '')}</Custom>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
<Product Id="${productCode}" Name="Farhand agent" Language="1033" Version="${version}" Manufacturer="Farhand" UpgradeCode="${packageUpgradeCode}">
<Package InstallerVersion="500" Compressed="yes" InstallScope="perMachine" Description="Farhand agent" />
<Media Id="1" Cabinet="agent.cab" EmbedCab="yes" />
<Upgrade Id="${packageUpgradeCode}">
<UpgradeVersion Minimum="0.0.0" IncludeMinimum="yes" Maximum="${version}" IncludeMaximum="yes" Property="${earlierPackage}" />
<UpgradeVersion Minimum="${version}" IncludeMinimum="no" OnlyDetect="yes" Property="${newerPackage}" />
</Upgrade>
<Property Id="${agentService}"><RegistrySearch Id="ServiceSearch" Root="HKLM" Key="SYSTEM\\CurrentControlSet\\Services\\Farhand.Agent" Name="ImagePath" Type="raw" Win64="yes" /></Property>
<Property Id="${presentPackage}"><RegistrySearch Id="PackageSearch" ${registration} Type="raw" Win64="yes" /></Property>
<Property Id="MsiHiddenProperties" Value="${keySecret};${installOptions}" />
<Property Id="ARPSYSTEMCOMPONENT" Value="1" />
<Condition Message="A newer Farhand agent is installed.">NOT ${newerPackage}</Condition>
<Condition Message="${escape(needs)}">Installed OR ${agentService} OR (${server} AND ${tenant} AND ${keyId} AND ${keySecret})</Condition>
<Directory Id="TARGETDIR" Name="SourceDir"><Directory Id="ProgramFiles64Folder"><Directory Id="BRAND" Name="Farhand">
<Directory Id="AGENT" Name="default"><Directory Id="VERSIONS" Name="versions"><Directory Id="VERSION" Name="${folder}">
<Component Id="Registration" Guid="${registrationId}" Win64="yes">
<RegistryValue Id="Registration" ${registration} Type="string" Value="[ProductCode]" KeyPath="yes" />
</Component>
${files}
</Directory></Directory></Directory></Directory></Directory></Directory>
<InstallExecuteSequence>
<RemoveExistingProducts After="InstallFinalize" />
${steps.join('\n')}
</InstallExecuteSequence>
<Feature Id="Agent" Level="1"><ComponentRef Id="Registration" />${ids.map((id) => `<ComponentRef Id="${id}" />`).join('')}</Feature>
</Product>
</Wix>
`
}

/** Properties that reach the installation of a person who was asked for an administrator. */
const secured = [...Object.values(packageProperties), keepDataProperty, earlierPackage, newerPackage]

/**
 * Writes the package of a staged bundle, which holds `bundle.sha256`: the agent updates itself when its server offers
 * another. `work` is a folder for what is made on the way.
 */
export async function writeMsi(
  content: string,
  file: string,
  { version, work }: { version: string; work: string },
): Promise<void> {
  const source = path.join(work, 'agent.wxs')
  writeFileSync(source, sourceOf(content, version))
  // wixl finds files by relative names alone.
  await execute('wixl', ['--arch', 'x64', '--output', file, source], { cwd: content })
  const table = path.join(work, 'CustomAction.idt')
  writeFileSync(table, actionTable())
  await execute('msibuild', [file, '-i', table])
  const query = `UPDATE \`Property\` SET \`Value\` = '${secured.join(';')}' WHERE \`Property\` = 'SecureCustomProperties'`
  await execute('msibuild', [file, '-q', query])
}
