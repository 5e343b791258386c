import { Modal } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../../api/http.ts'
import { Secret } from '../../../components/secret.tsx'
import * as t from '../../../texts.ts'
import { WebhookForm } from './webhook-form.tsx'
import { webhookQueries } from './webhook-queries.ts'
import { invalidate } from '../../../api/query-client.ts'

interface NewWebhookProps {
  isOpen: boolean
  onClose: () => void
  onCreated: (id: string) => void
}

const start = { name: '', url: '', kinds: null, isEnabled: true }

/** Dialog that makes a webhook, then shows its secret once. */
export function NewWebhook({ isOpen, onClose, onCreated }: NewWebhookProps) {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <Modal opened={isOpen} onClose={onClose} title={t.webhooks.create} size="lg">
        <WebhookForm
          start={start}
          submit={t.webhooks.createSubmit}
          save={(body) => api.webhooks.create({ body })}
          onSaved={(made) => {
            setSecret(made.secret)
            onCreated(made.id)
            void invalidate(webhookQueries.all)
          }}
          onCancel={onClose}
        />
      </Modal>
      <ShownSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

/** Secret of a webhook, shown once. */
export const ShownSecret = ({ secret, onClose }: { secret: string | undefined; onClose: () => void }) => (
  <Secret
    title={t.webhooks.secretTitle}
    hint={`${t.webhooks.shownOnce} ${t.webhooks.secretHint}`}
    label={t.webhooks.secret}
    copy={t.webhooks.copySecret}
    value={secret}
    onClose={onClose}
  />
)
