import { Button, Checkbox, SegmentedControl, Tabs } from '@mantine/core'
import {
  IconBrandApple,
  IconBrandWindows,
  IconFileDownload,
  IconInfoCircle,
  IconLock,
  IconTerminal2,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { checkProps } from '../../components/field-props.ts'
import {
  installCommand,
  runtimesOf,
  systems,
  installScript,
  packageCommand,
  silentCommand,
  type InstallCommand,
  type System,
} from '../../../shared/install-command.ts'
import type { CreateInstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ReachNote } from '../../components/reach-note.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { QueryState } from '../../components/query-state.tsx'
import * as t from '../../texts.ts'
import reach from '../../components/reach-note.module.css'
import classes from './deploy-page.module.css'
import { MissingAgent } from './missing-agent.tsx'

/** Saves a text as a file of the browser. */
function saveText(fileName: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  URL.revokeObjectURL(url)
}

/** The install command for many computers: as a script file and, for Windows, as a silent command line. */
function RollOut({ command, onCopied }: { command: InstallCommand; onCopied: () => void }) {
  const silent = silentCommand(command)
  return (
    <>
      <Button
        variant="default"
        title={t.deploy.scriptHint}
        leftSection={<IconFileDownload size={15} />}
        onClick={() => {
          const { fileName, text } = installScript(command)
          saveText(fileName, text)
          onCopied()
        }}
      >
        {t.deploy.script}
      </Button>
      {silent && (
        <span title={t.deploy.silentHint}>
          <CopyButton text={silent} label={t.deploy.silent} onCopied={onCopied} />
        </span>
      )}
    </>
  )
}

/** The MSI package of Windows, for tools that install packages, and its command line. */
function PackageRow({ url, command, onCopied }: { url: string; command: string; onCopied: () => void }) {
  return (
    <div className={classes.fields} style={{ alignItems: 'center', marginTop: 12 }}>
      <span className="small muted" title={t.deploy.packageHint}>
        {t.deploy.package}
      </span>
      <Button component="a" href={url} download variant="default" leftSection={<IconFileDownload size={15} />}>
        {t.deploy.downloadPackage}
      </Button>
      <CopyButton text={command} label={t.deploy.packageCommand} onCopied={onCopied} />
    </div>
  )
}

const icons = { linux: IconTerminal2, macos: IconBrandApple, windows: IconBrandWindows }

const isSystem = (text: string | null): text is System => systems.some((system) => system === text)

interface CommandStepProps {
  installerKey: CreateInstallerKeyResponseDto | undefined
  /** Whether the secret is shown only once. */
  isShownOnce: boolean
  onCopied: () => void
  /** Shown below an available command. */
  children: ReactNode
}

interface CommandProps extends Pick<CommandStepProps, 'isShownOnce' | 'onCopied'> {
  parts: InstallCommand
  command: string
  system: System
  isPinned: boolean
  /** Path of the MSI package; null where there is none. */
  packageUrl: string | null
  isUserOnly: boolean
  onUserOnly: (isUserOnly: boolean) => void
}

/** Install command with options and notes. */
function Command({
  parts,
  command,
  system,
  isPinned,
  packageUrl,
  isUserOnly,
  onUserOnly,
  isShownOnce,
  onCopied,
}: CommandProps) {
  const ofPackage = packageCommand(parts, packageUrl)
  return (
    <>
      <pre className={classes.command} tabIndex={0} aria-label={t.deploy.commandStep} onCopy={onCopied}>
        {command}
      </pre>
      <div className={classes.fields} style={{ alignItems: 'center' }}>
        <CopyButton text={command} label={t.deploy.copyCommand} onCopied={onCopied} />
        <RollOut command={parts} onCopied={onCopied} />
        {system !== 'windows' && (
          <Checkbox label={t.deploy.userOnly} title={t.deploy.userOnlyHint} {...checkProps(isUserOnly, onUserOnly)} />
        )}
      </div>
      {packageUrl !== null && ofPackage !== null && (
        <PackageRow url={packageUrl} command={ofPackage} onCopied={onCopied} />
      )}
      {isPinned && (
        <p className={`${reach.note} small muted`}>
          <IconLock size={15} aria-hidden />
          {t.deploy.pinned}
        </p>
      )}
      {isShownOnce && (
        <p className={`${reach.note} small muted`}>
          <IconInfoCircle size={15} aria-hidden />
          {t.deploy.once}
        </p>
      )}
    </>
  )
}

/** Install command for the chosen system, or the reason why there is none. */
export function CommandStep({ installerKey, isShownOnce, onCopied, children }: CommandStepProps) {
  const { tenantId } = useSession().user
  const query = useQuery(deployQueries.deployment)
  const { data: deployment } = query
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('os')
  const system = isSystem(wanted) ? wanted : 'linux'
  const [runtime, setRuntime] = useState<string>()
  const [isUserOnly, setIsUserOnly] = useState(false)

  if (query.error || !deployment) {
    return <QueryState query={query} height={330} />
  }
  const offered = runtimesOf[system].filter(({ runtime: id }) =>
    deployment.installers.some((each) => each.runtime === id),
  )
  const kinds = runtimesOf[system]
  const chosen = (kinds.find(({ runtime: id }) => id === runtime) ?? offered[0] ?? kinds[0]).runtime
  const installer = deployment.installers.find((each) => each.runtime === chosen)
  const parts: InstallCommand | undefined =
    installerKey && installer
      ? {
          system,
          serverUrl: deployment.serverUrl,
          serverPin: deployment.serverPin,
          downloadUrl: installer.downloadUrl,
          instanceId: deployment.instanceId,
          tenantId,
          keyId: installerKey.id,
          keySecret: installerKey.keySecret,
          isUserOnly,
        }
      : undefined
  const command = parts && installCommand(parts)

  return (
    <>
      <Tabs
        value={system}
        onChange={(value) => setSearch(value && value !== 'linux' ? { os: value } : {}, { replace: true })}
        mt="xs"
      >
        <Tabs.List>
          {systems.map((each) => {
            const Icon = icons[each]
            return (
              <Tabs.Tab key={each} value={each} leftSection={<Icon size={16} stroke={1.6} />}>
                {t.deploy[each]}
              </Tabs.Tab>
            )
          })}
        </Tabs.List>
        <Tabs.Panel value={system} pt="sm">
          <SegmentedControl
            size="xs"
            mb="xs"
            aria-label={t.deploy.architecture}
            data={kinds.map(({ runtime: value, processor }) => ({ value, label: processor }))}
            value={chosen}
            onChange={setRuntime}
          />
          {!installer && <MissingAgent runtime={chosen} canBuild={deployment.canBuildAgents} />}
          {installer && (
            <>
              <p className="muted" style={{ margin: 0 }}>
                {command
                  ? system === 'windows'
                    ? t.deploy.shellWindows
                    : t.deploy.shellLinux
                  : t.deploy.waitingForKey}
              </p>
              {parts && command && (
                <Command
                  parts={parts}
                  command={command}
                  system={system}
                  isPinned={deployment.serverPin !== null}
                  packageUrl={installer.packageUrl}
                  isUserOnly={isUserOnly}
                  onUserOnly={setIsUserOnly}
                  isShownOnce={isShownOnce}
                  onCopied={onCopied}
                />
              )}
            </>
          )}
        </Tabs.Panel>
      </Tabs>
      <ReachNote
        url={deployment.serverUrl}
        isReachableFromNetwork={deployment.isReachableFromNetwork}
        texts={t.deploy}
      />
      {installer && children}
    </>
  )
}
