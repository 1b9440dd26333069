import { generateText, stepCountIs } from "ai";
import { Guard, guardTools } from "provenanceguard";
import { model, tools } from "./my_agent.js";

const guard = new Guard("https://guard.example", "pgr_YOUR_KEY");
const guarded = guardTools(guard, tools);
await generateText({ model, tools: guarded, prompt: "Pay Daniel $30.", stopWhen: stepCountIs(10) });
