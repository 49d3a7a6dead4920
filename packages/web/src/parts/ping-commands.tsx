import { quoteForShell } from '@vedette/as-code/curl'
import { CopyButton } from './copy-button.tsx'

/** Lines to paste into a job. */
export function PingCommands({ url }: { url: string }) {
  const quoted = quoteForShell(url)
  const lines = [
    { title: 'Ping URL', text: url },
    { title: 'After a command', text: `./backup.sh && curl -fsS -m 10 --retry 5 ${quoted}` },
    {
      title: 'In a crontab',
      text: `0 3 * * * /usr/local/bin/backup.sh && curl -fsS -m 10 --retry 5 -o /dev/null ${quoted}`,
    },
  ]
  return (
    <dl className="ping-commands">
      {lines.map(({ title, text }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <code>{text}</code>
            <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
