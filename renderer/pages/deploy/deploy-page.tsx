import { Alert, Button, Group, Modal, Text } from '@mantine/core'
import { IconChevronDown, IconShieldExclamation } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import type { CreateInstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert, problemText } from '../../components/problem-alert.tsx'
import { permissionTexts } from '../../../shared/permission-texts.ts'
import { NoRight } from '../../components/no-right.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { CommandStep } from './command-step.tsx'
import card from '../../components/card-page.module.css'
import classes from './deploy-page.module.css'
import { KeyForm } from './key-form.tsx'
import { EndedKeys, KeyList } from './key-list.tsx'
import { keyWorks } from './key-texts.ts'
import { keepOneUseKey, useOneUseKey } from './use-one-use-key.ts'
import { Waiting } from './waiting.tsx'
import { api } from '../../api/http.ts'
import { invalidate } from '../../api/query-client.ts'

/** Lists offered agents that devices reject because a newer one was offered before; can allow the downgrade. */
function RefusedAgents() {
  const { data: releases = [] } = useQuery(deployQueries.agentReleases)
  const allow = useMutation({
    mutationFn: (build: number) => api.agentReleases.stepBack({ params: { build } }),
    onSettled: () => invalidate(deployQueries.agentReleases.queryKey),
  })
  return releases.map(
    ({ runtime, build, version, newer }) =>
      newer && (
        <Alert
          key={build}
          icon={<IconShieldExclamation size={18} />}
          color="warning"
          title={t.deploy.refused(version, t.deploy.runtimes[runtime])}
        >
          <p className={classes.reason}>{t.deploy.refusedHint(newer.version)}</p>
          <Button
            size="compact-sm"
            variant="default"
            loading={allow.isPending && allow.variables === build}
            onClick={() => allow.mutate(build)}
          >
            {t.deploy.allowBack}
          </Button>
          {allow.error && allow.variables === build && <p role="alert">{problemText(allow.error)}</p>}
        </Alert>
      ),
  )
}

type NewKey = CreateInstallerKeyResponseDto

/** Whether the secret of a key was not used yet. */
function useUnusedSecret(installerKey: NewKey | undefined) {
  const { data: usages } = useQuery({
    ...deployQueries.installerKeyUsages(installerKey?.id ?? ''),
    enabled: installerKey !== undefined,
  })
  return installerKey !== undefined && !usages?.length
}

/** Asks before the person leaves, if that loses a secret: `isUnsaved` is called at that moment. */
function LeaveQuestion({ isUnsaved }: { isUnsaved: () => boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isUnsaved() && ![currentLocation.pathname, '/sign-in'].includes(nextLocation.pathname),
  )
  const stay = () => blocker.reset?.()
  return (
    <Modal opened={blocker.state === 'blocked'} onClose={stay} title={t.deploy.leave}>
      <Text mb="md">{t.deploy.leaveHint}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => blocker.proceed?.()}>
          {t.deploy.leaveGo}
        </Button>
        <Button onClick={stay} data-autofocus>
          {t.deploy.leaveStay}
        </Button>
      </Group>
    </Modal>
  )
}

function Deploy() {
  const { can } = useSession()
  const mayMake = can('installer-key.write')
  const oneUse = useOneUseKey(mayMake)
  const [chosenKey, setChosenKey] = useState<NewKey>()
  const [isChoosing, setIsChoosing] = useState(false)
  const isUnused = useUnusedSecret(chosenKey)
  // A state would reach the router after the next key press of a fast person.
  const copiedId = useRef<string>(undefined)
  const installerKey = chosenKey ?? oneUse.key
  const handleCreated = (key: NewKey) => {
    setChosenKey(key)
    setIsChoosing(false)
  }
  return (
    <>
      <PageHead title={t.deploy.title} intro={t.deploy.intro} />
      <div className={card.content}>
        {can('server.settings.write') && <RefusedAgents />}
        <section className={card.section} aria-label={t.deploy.commandStep}>
          <h2>{t.deploy.commandStep}</h2>
          {mayMake ? (
            <>
              {oneUse.error && !installerKey && <ProblemAlert error={oneUse.error} onRetry={oneUse.makeAnother} />}
              <CommandStep
                installerKey={installerKey}
                isShownOnce={chosenKey !== undefined}
                onCopied={() => {
                  copiedId.current = installerKey?.id
                  keepOneUseKey()
                }}
              >
                {installerKey && <Waiting key={installerKey.id} installerKey={installerKey} />}
              </CommandStep>
            </>
          ) : (
            <p className="muted">{t.deploy.needs(permissionTexts['installer-key.write'].displayName)}</p>
          )}
          {mayMake && (
            <Group gap="4px 12px" mt={12}>
              {installerKey && (
                <span className="muted">
                  {!chosenKey && oneUse.isSpent
                    ? t.deploy.spent
                    : t.deploy.works(installerKey.friendlyName, keyWorks(installerKey))}
                </span>
              )}
              {!chosenKey && oneUse.isSpent && (
                <Button variant="default" size="compact-sm" onClick={oneUse.makeAnother}>
                  {t.deploy.another}
                </Button>
              )}
              <Button
                variant="subtle"
                size="compact-sm"
                aria-expanded={isChoosing}
                rightSection={<IconChevronDown size={14} className={classes.chevron} aria-hidden />}
                onClick={() => setIsChoosing(!isChoosing)}
              >
                {t.deploy.more}
              </Button>
            </Group>
          )}
          {isChoosing && <KeyForm onCreated={handleCreated} />}
        </section>
        {can('installer-key.read') && (
          <section aria-label={t.deploy.keys}>
            <h2>{t.deploy.keys}</h2>
            <p className="small muted" style={{ margin: '2px 0 8px' }}>
              {t.deploy.keysHint}
            </p>
            <KeyList />
            <EndedKeys />
          </section>
        )}
      </div>
      <LeaveQuestion isUnsaved={() => isUnused && copiedId.current !== chosenKey?.id} />
    </>
  )
}

/** Install commands and the keys in them. */
export function Component() {
  usePageTitle(t.deploy.title)
  const { can } = useSession()
  return can('installer-key.write') || can('installer-key.read') ? (
    <Deploy />
  ) : (
    <NoRight page={t.deploy.title} rights={['installer-key.write']} />
  )
}
