import { Button, Group, Modal, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useBlocker } from 'react-router'
import type { CreateInstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { queries } from '../../api/queries.ts'
import { PageHead } from '../../components/page-head.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../session.tsx'
import { en as t } from '../../strings/en.ts'
import { CommandStep } from './command-step.tsx'
import classes from './deploy-page.module.css'
import { KeyForm } from './key-form.tsx'
import { KeyList } from './key-list.tsx'
import { keyLimits } from './key-words.ts'
import { Step } from './step.tsx'
import { Waiting } from './waiting.tsx'

type NewKey = CreateInstallerKeyResponseDto

/** Whether leaving now would lose a secret that nobody has used or copied. */
function useUnsavedSecret(installerKey: NewKey | undefined, isCopied: boolean) {
  const { tenantId } = useSession().user
  const { data: usages } = useQuery({
    ...queries.installerKeyUsages(tenantId, installerKey?.id ?? ''),
    enabled: installerKey !== undefined,
  })
  return installerKey !== undefined && !isCopied && !usages?.length
}

function LeaveQuestion({ isUnsaved }: { isUnsaved: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isUnsaved && ![currentLocation.pathname, '/sign-in'].includes(nextLocation.pathname),
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

export function Component() {
  usePageTitle(t.deploy.title)
  const { can } = useSession()
  const [installerKey, setInstallerKey] = useState<NewKey>()
  const [isCopied, setIsCopied] = useState(false)
  const isUnsaved = useUnsavedSecret(installerKey, isCopied)
  const handleCreated = (key: NewKey) => {
    setInstallerKey(key)
    setIsCopied(false)
  }
  return (
    <>
      <PageHead title={t.deploy.title} intro={t.deploy.intro} />
      <div className={classes.content}>
        <Step
          number={1}
          title={t.deploy.keyStep}
          isDone={installerKey !== undefined}
          action={
            installerKey && (
              <Button variant="default" size="xs" onClick={() => setInstallerKey(undefined)}>
                {t.deploy.createAnother}
              </Button>
            )
          }
        >
          {installerKey ? (
            <span className="muted">
              {installerKey.friendlyName ?? t.deploy.unnamed} · {keyLimits(installerKey)}
            </span>
          ) : can('installer-key.write') ? (
            <KeyForm onCreated={handleCreated} />
          ) : (
            <span className="muted">{t.deploy.notAllowed}</span>
          )}
        </Step>
        <Step number={2} title={t.deploy.commandStep}>
          <CommandStep installerKey={installerKey} onCopied={() => setIsCopied(true)} />
          {installerKey && <Waiting key={installerKey.id} installerKey={installerKey} />}
        </Step>
        {can('installer-key.read') && (
          <section aria-label={t.deploy.keys}>
            <h2>{t.deploy.keys}</h2>
            <p className="small muted" style={{ margin: '2px 0 8px' }}>
              {t.deploy.keysHint}
            </p>
            <KeyList />
          </section>
        )}
      </div>
      <LeaveQuestion isUnsaved={isUnsaved} />
    </>
  )
}
