import { Button, Group, Switch, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ButtonLink } from '../../components/links.tsx'
import { api } from '../../api/http.ts'
import { desktop } from '../../api/desktop.ts'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useFirstSteps, type FirstStep } from '../../hooks/use-first-steps.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'
import classes from './first-steps.module.css'
import { deviceQueries } from '../../api/device-queries.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { networkQueries } from '../../api/network-queries.ts'

const desktopInfoKey = ['desktop-info']

/** Settings of the desktop shell; null in a browser. */
const useDesktopInfo = () =>
  useQuery({ queryKey: desktopInfoKey, queryFn: async () => (await desktop?.getDesktopInfo()) ?? null })

const anyDevice = deviceQueries.page({ query: '', sortDefinitions: [] }, { page: 0, pageSize: 1 })

/** Steps whose work is done, whether or not it was done on this walk. */
function useDoneSteps(steps: readonly FirstStep[]): ReadonlySet<FirstStep> {
  const { data: account } = useQuery(accountQueries.account)
  const { data: passkeys } = useQuery(accountQueries.passkeys)
  const { data: info } = useDesktopInfo()
  const { data: network } = useQuery({ ...networkQueries.network, enabled: steps.includes('network') })
  const { data: limit } = useQuery({ ...serverQueries.transferLimit, enabled: steps.includes('transfers') })
  const { data: backup } = useQuery({ ...serverQueries.backup, enabled: steps.includes('backup') })
  const { data: devices } = useQuery(anyDevice)
  const done: Record<FirstStep, boolean> = {
    secure: account?.isTwoFactorEnabled === true || (passkeys?.items.length ?? 0) > 0,
    start: info?.startAtLogin === true,
    network: network?.state === 'serving',
    transfers: limit === Infinity,
    backup: backup?.recoveryKey != null && backup.settings.folder !== null,
    device: devices?.anyDevicesForUser === true,
  }
  return new Set(steps.filter((step) => done[step]))
}

function StartAtLogin() {
  const { data } = useDesktopInfo()
  const handleChange = async (isWanted: boolean) => {
    await desktop?.setStartAtLogin(isWanted)
    await invalidate(desktopInfoKey)
  }
  return (
    <Switch
      label={t.firstSteps.startSwitch}
      checked={data?.startAtLogin ?? false}
      onChange={(event) => void handleChange(event.currentTarget.checked)}
    />
  )
}

function TransferLimit() {
  const change = useMutation({
    mutationFn: () =>
      api.server.changeSettings({ body: { changes: [{ key: 'AppOptions__MaxFileTransferSize', value: '0' }] } }),
    onSuccess: () => invalidate(serverQueries.transferLimit.queryKey),
  })
  return (
    <>
      {change.error && <ProblemAlert error={change.error} />}
      <Button loading={change.isPending} onClick={() => change.mutate()}>
        {t.firstSteps.transfersFree}
      </Button>
    </>
  )
}

const content: Record<FirstStep, { title: string; text: string; link?: { to: string; label: string } }> = {
  secure: {
    title: t.firstSteps.secure,
    text: t.firstSteps.secureHint,
    link: { to: '/account#two-factor', label: t.firstSteps.openAccount },
  },
  start: { title: t.firstSteps.start, text: t.firstSteps.startHint },
  network: {
    title: t.firstSteps.network,
    text: t.firstSteps.networkHint,
    link: { to: '/network', label: t.firstSteps.openNetwork },
  },
  transfers: { title: t.firstSteps.transfers, text: t.firstSteps.transfersHint },
  backup: {
    title: t.firstSteps.backup,
    text: t.firstSteps.backupHint,
    link: { to: '/backup', label: t.backup.open },
  },
  device: {
    title: t.firstSteps.device,
    text: t.firstSteps.deviceHint,
    link: { to: '/deploy', label: t.firstSteps.openDeploy },
  },
}

/** First steps of a new owner, one at a time. The server stores the current step. */
export function Component() {
  usePageTitle(t.firstSteps.title)
  const navigate = useNavigate()
  const { steps, at = 0, goTo, error } = useFirstSteps()
  const done = useDoneSteps(steps)
  const step = steps[at]!
  const isDone = done.has(step)
  const hasWork = !isDone && (content[step].link !== undefined || step === 'transfers')
  const next = steps.slice(at + 1).find((each) => !done.has(each))
  const { title, text, link } = content[step]
  const handleNext = async () => {
    await goTo(next)
    if (next === undefined) {
      await navigate('/home')
    }
  }
  const handleEnd = async () => {
    await goTo(undefined)
    await navigate('/home')
  }
  return (
    <>
      <PageHead title={t.firstSteps.title} intro={t.firstSteps.intro} />
      <Group align="stretch" gap="16px 32px" maw="var(--page-width)" px="var(--page-side)" pt={8} pb={32}>
        <ol className={classes.steps}>
          {steps.map((each, index) => (
            <li key={each}>
              <button
                type="button"
                className={classes.step}
                aria-current={each === step ? 'step' : undefined}
                onClick={() => void goTo(each)}
              >
                {done.has(each) ? (
                  <IconCheck className={classes.done} size={24} stroke={1.8} aria-label={t.firstSteps.done} />
                ) : (
                  <span className={classes.number} aria-hidden>
                    {index + 1}
                  </span>
                )}
                {content[each].title}
              </button>
            </li>
          ))}
        </ol>
        <section className={classes.card} aria-label={title}>
          <Text size="sm" c="dimmed">
            {t.firstSteps.step(at + 1, steps.length)}
          </Text>
          <h2>{title}</h2>
          <Text>{text}</Text>
          {step === 'start' && <StartAtLogin />}
          {error && <ProblemAlert error={error} />}
          <Group gap="sm">
            {step === 'transfers' && !isDone && <TransferLimit />}
            {link && (
              <ButtonLink
                to={link.to}
                variant={isDone ? 'default' : 'filled'}
                // The last step leaves no work to come back to.
                onClick={() => next === undefined && void goTo(undefined)}
              >
                {link.label}
              </ButtonLink>
            )}
            <Button variant={hasWork ? 'default' : 'filled'} onClick={() => void handleNext()}>
              {next === undefined ? t.firstSteps.finish : hasWork ? t.firstSteps.skip : t.common.continue}
            </Button>
            {next !== undefined && (
              <Button variant="subtle" onClick={() => void handleEnd()}>
                {t.firstSteps.end}
              </Button>
            )}
          </Group>
        </section>
      </Group>
    </>
  )
}
