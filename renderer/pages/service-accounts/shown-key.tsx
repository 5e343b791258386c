import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import classes from './service-accounts.module.css'

const path = '/api/v1/devices'

/** A new key, shown once, with lines that try it. Keys hold no quotes. */
export function ShownKey({ secret, onClose }: { secret: string | undefined; onClose: () => void }) {
  const { tenantId } = useSession().user
  const [saved, setSaved] = useState<string>()
  const url = `${window.location.origin}${path}?tenantId=${tenantId}`
  const handleCopied = () => setSaved(secret)
  const lines =
    secret === undefined
      ? []
      : ([
          [t.serviceAccounts.curl, `curl -H 'x-api-key: ${secret}' '${url}'`],
          [t.serviceAccounts.powerShell, `Invoke-RestMethod -Headers @{ 'x-api-key' = '${secret}' } -Uri '${url}'`],
        ] as const)
  return (
    <SecretDialog
      isOpen={secret !== undefined}
      title={t.serviceAccounts.keyTitle}
      hint={t.serviceAccounts.keyHint}
      isSaved={saved !== undefined && saved === secret}
      onClose={onClose}
    >
      {secret !== undefined && (
        <div>
          <pre className={classes.command} aria-label={t.serviceAccounts.theKey}>
            {secret}
          </pre>
          <CopyButton text={secret} label={t.serviceAccounts.copyKey} onCopied={handleCopied} />
          <p>{t.serviceAccounts.tryIt}</p>
          {lines.map(([label, line]) => (
            <div key={label}>
              <h3 className={classes.lineTitle}>{label}</h3>
              <div className={classes.line}>
                <pre className={classes.command} aria-label={label}>
                  {line}
                </pre>
                <CopyButton text={line} hint={`${t.serviceAccounts.copyLine}: ${label}`} onCopied={handleCopied} />
              </div>
            </div>
          ))}
        </div>
      )}
    </SecretDialog>
  )
}
