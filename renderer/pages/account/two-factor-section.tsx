import { Badge, Button, Group, Modal } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { api } from '../../api/http.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { sessionQueries } from '../../api/session-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { ConfirmDialog } from '../../components/list-kit/dialogs.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import classes from './account-page.module.css'
import { Section } from './section.tsx'
import { TwoFactorSetup } from './two-factor-setup.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { memoryFile } from '../../features/transfers/saved-file.ts'
import { SecretDialog } from '../../components/secret.tsx'

async function download(text: string) {
  const file = await memoryFile(t.account.codesFile).createWritable()
  await file.write(new TextEncoder().encode(text))
  await file.close()
}

/** Ten recovery codes. */
function Codes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const text = `${t.account.codesHead(window.location.host)}\n\n${codes.join('\n')}\n`
  const save = (work: () => unknown) => () => {
    void work()
    onSaved()
  }
  return (
    <>
      <ul className={classes.codes} aria-label={t.account.recoveryCodes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap={8} className={classes.saving}>
        <CopyButton text={text} label={t.common.copy} onCopied={onSaved} />
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={save(() => window.print())}>
          {t.account.print}
        </Button>
        <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save(() => download(text))}>
          {t.account.download}
        </Button>
      </Group>
    </>
  )
}

/** Authenticator app and recovery codes. */
export function TwoFactorSection() {
  const { data: account } = useQuery(accountQueries.account)
  const [dialog, setDialog] = useState<'on' | 'off'>()
  const [codes, setCodes] = useState<readonly string[]>()
  const reload = () => invalidate(sessionQueries.session.queryKey, accountQueries.account.queryKey)
  const show = (shown?: readonly string[]) => {
    setDialog(undefined)
    setCodes(shown)
    void reload()
  }
  const renew = useMutation({
    mutationFn: () => api.account.renewRecoveryCodes({}),
    onSuccess: ({ recoveryCodes }) => show(recoveryCodes),
  })
  const isOn = account?.isTwoFactorEnabled
  const close = () => setDialog(undefined)
  return (
    <Section
      id="two-factor"
      title={t.account.twoFactor}
      hint={t.account.twoFactorHint}
      mark={account && <Badge variant={isOn ? undefined : 'default'}>{isOn ? t.account.on : t.account.off}</Badge>}
    >
      {isOn === false && <Button onClick={() => setDialog('on')}>{t.account.turnOn}</Button>}
      {isOn && (
        <>
          <p className={classes.line}>{t.account.codesLeft(account.recoveryCodesLeft)}</p>
          <Group gap={8}>
            <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
              {t.account.newCodes}
            </Button>
            <Button variant="default" onClick={() => setDialog('off')}>
              {t.account.turnOff}
            </Button>
          </Group>
          {renew.error && <ProblemAlert error={renew.error} />}
        </>
      )}
      <Modal opened={dialog === 'on'} onClose={close} title={t.account.turnOnTitle} size="lg">
        <TwoFactorSetup onDone={show} onCancel={close} />
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'off'}
        title={t.account.offTitle}
        confirm={t.account.turnOff}
        onConfirm={() => api.account.disableTwoFactor({})}
        onConfirmed={() => show()}
        onClose={close}
      >
        {t.account.offHint}
      </ConfirmDialog>
      <SecretDialog
        title={t.account.recoveryCodes}
        hint={t.account.codesHint}
        value={codes}
        onClose={() => setCodes(undefined)}
      >
        {(shown, onSaved) => <Codes codes={shown} onSaved={onSaved} />}
      </SecretDialog>
    </Section>
  )
}
