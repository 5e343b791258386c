import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api/http.ts'
import { Secret } from '../../../components/secret.tsx'
import { useSession } from '../../../hooks/use-session.ts'
import * as t from '../../../texts.ts'
import { WebhookForm } from './webhook-form.tsx'
import { webhookQueries } from './webhook-queries.ts'

interface NewWebhookProps {
  isOpen: boolean
  onClose: () => void
  onCreated: (id: string) => void
}

const start = { name: '', url: '', kinds: null, isEnabled: true }

/** Dialog that makes a webhook, then shows its secret once. */
export function NewWebhook({ isOpen, onClose, onCreated }: NewWebhookProps) {
  const { tenantId } = useSession().user
  const client = useQueryClient()
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <Modal opened={isOpen} onClose={onClose} title={t.webhooks.create} size="lg">
        <WebhookForm
          start={start}
          submit={t.webhooks.createSubmit}
          save={(body) => api.webhooks.create({ tenantId, body })}
          onSaved={(made) => {
            setSecret(made.secret)
            onCreated(made.id)
            void client.invalidateQueries({ queryKey: webhookQueries.all })
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
