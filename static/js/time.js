/**
 * Keeps relative times true: `<time datetime data-ago>` and `<time datetime data-countdown>`.
 *
 * The words match those the server writes (reviews/templatetags/times.py), so nothing jumps when a page loads.
 */

const SOON_SECONDS = 300;
const TICK_MILLISECONDS = 1000;

/** "48 s", "12 min", "3 h", "2 d": whole units, cut off. */
export function short(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h`;
  return `${Math.floor(whole / 86400)} d`;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showAgo(element, seconds) {
  write(element, seconds < 5 ? "now" : `${short(seconds)}${element.dataset.ago === "short" ? "" : " ago"}`);
}

/** As `short`, but to the second when it matters: "1:58", "expired". */
function remaining(left) {
  if (left <= 0) return "expired";
  const whole = Math.floor(left);
  return left < SOON_SECONDS ? `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}` : short(left);
}

function showCountdown(element, left) {
  write(element, remaining(left));
  element.classList.toggle("countdown--over", left <= 0);
  element.classList.toggle("countdown--soon", left > 0 && left < SOON_SECONDS);
}

export function refresh(root = document) {
  const now = Date.now();
  for (const element of root.querySelectorAll("time[data-ago]")) {
    showAgo(element, (now - Date.parse(element.dateTime)) / 1000);
  }
  for (const element of root.querySelectorAll("time[data-countdown]")) {
    showCountdown(element, (Date.parse(element.dateTime) - now) / 1000);
  }
}

/** Start ticking. Called once, by app.js. */
export function start() {
  refresh();
  setInterval(() => document.hidden || refresh(), TICK_MILLISECONDS);
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  document.addEventListener("htmx:afterSwap", () => refresh());
}
