import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Fact } from '../../components/fact.tsx'
import { textProps } from '../../components/field-props.ts'
import type { BackupDto, NewRecoveryKeyDto } from '../../../shared/dtos/backup.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import card from '../../components/card-page.module.css'
import classes from './backup.module.css'
import { useBackupChange } from './use-backup.ts'
import { invalidate } from '../../api/query-client.ts'
import { RecoveryKeyField } from '../../components/recovery-key-field.tsx'
import { FormButton } from '../../components/list-kit/dialogs.tsx'
import { RequestForm } from '../../components/request-form.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { SecretDialog } from '../../components/secret.tsx'

/** Two lines of four groups. */
const inLines = (recoveryKey: string) => {
  const groups = recoveryKey.split('-')
  return [groups.slice(0, 4), groups.slice(4)].map((line) => line.join('-')).join('\n')
}

/** Prints the key alone, in a frame of its own. */
function print({ recoveryKey, fingerprint }: NewRecoveryKeyDto): void {
  const frame = document.createElement('iframe')
  frame.style.display = 'none'
  document.body.append(frame)
  const page = frame.contentDocument
  if (page && frame.contentWindow) {
    const title = page.createElement('h1')
    title.textContent = t.backup.printed(location.host)
    const key = page.createElement('pre')
    key.textContent = `${inLines(recoveryKey)}\n\n${t.backup.fingerprint}: ${fingerprint}`
    page.body.append(title, key)
    frame.contentWindow.addEventListener('afterprint', () => frame.remove())
    frame.contentWindow.print()
  }
}

/** A new recovery key, shown once. */
const ShownRecoveryKey = ({ made, onClose }: { made: NewRecoveryKeyDto | undefined; onClose: () => void }) => (
  <SecretDialog title={t.backup.shown} hint={t.backup.shownHint} value={made} onClose={onClose}>
    {(key, onSaved) => (
      <div>
        <pre className={classes.key} aria-label={t.backup.shown}>
          {inLines(key.recoveryKey)}
        </pre>
        <Group gap="xs">
          <CopyButton text={key.recoveryKey} label={t.backup.copy} onCopied={onSaved} />
          <Button
            variant="default"
            onClick={() => {
              print(key)
              onSaved()
            }}
          >
            {t.backup.print}
          </Button>
          <span className="small muted">
            {t.backup.fingerprint}: {key.fingerprint}
          </span>
        </Group>
      </div>
    )}
  </SecretDialog>
)

function ProofForm({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const prove = useBackupChange(
    (recoveryKey: string) => api.backup.proveRecoveryKey({ body: { recoveryKey } }),
    onClose,
  )
  return (
    <RequestForm
      submit={t.backup.proveSubmit}
      canSubmit={typed.trim() !== ''}
      request={prove}
      onSubmit={() => prove.mutate(typed)}
      onCancel={onClose}
    >
      <RecoveryKeyField data-autofocus {...textProps(typed, setTyped)} />
    </RequestForm>
  )
}

/** The recovery key: made and shown once, checked later, replaced by another. */
export function KeySection({ recoveryKey, mayChange }: Pick<BackupDto, 'recoveryKey'> & { mayChange: boolean }) {
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  const make = useMutation({
    scope: { id: 'backup' },
    mutationFn: () => api.backup.makeRecoveryKey({}),
    onMutate: close,
    onSuccess: () => invalidate(serverQueries.backup.queryKey),
  })
  return (
    <section className={classes.section} aria-label={t.backup.key}>
      <h2>{t.backup.key}</h2>
      <p className="muted">{t.backup.keyHint}</p>
      {recoveryKey ? (
        <dl className={card.facts}>
          <Fact label={t.backup.fingerprint} className="tabular">
            {recoveryKey.fingerprint}
          </Fact>
          <Fact label={t.backup.madeAt}>
            <RelativeTime at={recoveryKey.madeAt} />
          </Fact>
          <Fact label={t.backup.provedAt}>
            {recoveryKey.provedAt === null ? t.backup.neverProved : <RelativeTime at={recoveryKey.provedAt} />}
          </Fact>
        </dl>
      ) : (
        <Text>{t.backup.noKey}</Text>
      )}
      {make.error && <ProblemAlert error={make.error} />}
      {mayChange && (
        <div className={card.actions}>
          {recoveryKey ? (
            <>
              <FormButton label={t.backup.prove} title={t.backup.proveTitle} size="lg">
                {(closeForm) => <ProofForm onClose={closeForm} />}
              </FormButton>
              <Button variant="default" loading={make.isPending} onClick={() => setIsAsking(true)}>
                {t.backup.changeKey}
              </Button>
            </>
          ) : (
            <Button loading={make.isPending} onClick={() => make.mutate()}>
              {t.backup.makeKey}
            </Button>
          )}
        </div>
      )}
      <Modal opened={isAsking} onClose={close} title={t.backup.changeQuestion}>
        <Stack>
          <Text>{t.backup.changeHint(recoveryKey?.fingerprint ?? '')}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {t.common.cancel}
            </Button>
            <Button onClick={() => make.mutate()}>{t.backup.changeConfirm}</Button>
          </Group>
        </Stack>
      </Modal>
      <ShownRecoveryKey made={make.data} onClose={make.reset} />
    </section>
  )
}
