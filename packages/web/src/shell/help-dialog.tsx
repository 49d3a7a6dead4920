import { preferences } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { Overlay } from '../parts/dialog.tsx'

const shortcuts: [keys: string, what: string][] = [
  ['Ctrl K', 'Search and actions'],
  ['/', 'Search and actions'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['r', 'Run the check now'],
  ['e', 'Edit the check'],
  ['?', 'This help'],
]

export function HelpDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { hasSingleKeys } = useStore(preferences)
  return (
    <Overlay title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <dl className="shortcuts">
        {shortcuts.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p className="hint">
        {hasSingleKeys
          ? 'Single keys can be turned off in the user menu.'
          : 'Single keys are turned off. Turn them on in the user menu.'}
      </p>
    </Overlay>
  )
}
